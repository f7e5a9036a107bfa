import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { systemClock, systemRandom } from '../../src/app/system-ports.ts';
import { jsonEqual } from '../../src/base/json.ts';
import type { Manifest, Unstructured } from '../../src/base/object.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import { FIELD_MANAGER } from '../../src/kinds/tenancy/own-resources.ts';
import { limitRangeForm } from '../../src/kinds/tenancy/limit-range.ts';
import { networkPolicyForm } from '../../src/kinds/tenancy/network-policy.ts';
import { resourceQuotaForm } from '../../src/kinds/tenancy/resource-quota.ts';
import { roleBindingForm } from '../../src/kinds/tenancy/role-binding.ts';
import { serviceAccountForm } from '../../src/kinds/tenancy/service-account.ts';
import type { ChildForm } from '../../src/kinds/tenancy/child-form.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { loadConnection } from '../../src/kube/load-connection.ts';
import { createUndiciTransport } from '../../src/kube/undici-transport.ts';
import { NAMESPACES } from '../../src/kube/well-known.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';
import { type Decision, decisionOf } from '../e2e/oracle-children.ts';
import { cronJobForm, cronJobItems } from '../e2e/oracle-cron-jobs.ts';
import { contentOf, type Equivalences } from '../e2e/oracle-content.ts';
import { generators } from '../e2e/oracle-generators.ts';
import { mixture } from '../e2e/oracle-mixture.ts';
import { namespaceDecision } from '../e2e/oracle-namespaces.ts';

const SEED = 20_260_101;

/** Accepted objects, and pairs of them, that each kind is tried with. */
const OBJECTS = Number(process.env['ORACLE_OBJECTS'] ?? 2000);

/** Chains of one kind that run at a time; a chain is one object on its way through many desired states. */
const CHAINS = 8;

const plane = await startControlPlane();
const ports = { clock: systemClock, random: systemRandom, log: recordingLogger(), metrics: recordingMetrics() };
const connection = await loadConnection({ kubeconfig: plane.kubeconfig, ...ports });
const transport = createUndiciTransport({ connection, ...ports });
const client = createKubeClient({ transport, userAgent: 'oracle', ...ports });
const signal = new AbortController().signal;
after(async () => {
  await transport.close();
  await plane.close();
});

/** One kind of child, closed over its item's type. */
interface Subject {
  readonly name: string;
  readonly type: ResourceType;
  /** What an apply that only spells it differently does not change. */
  readonly equal: Equivalences;
  readonly items: fc.Arbitrary<unknown>;
  /** What the engine does, and the whole manifest whose dry run is the oracle. */
  decide(item: unknown, place: string, live: Unstructured | undefined): Promise<{ ours: Decision; whole: Manifest }>;
}

function subjectOf<Item>(name: string, form: ChildForm<Item>, items: fc.Arbitrary<Item>): Subject {
  return {
    name,
    type: form.type,
    equal: form,
    items,
    decide: async (value, place, live) => {
      // What the generator gave, or a mixture of what it gave.
      const item = value as Item;
      const fresh = await decisionOf(form, item, place, undefined);
      assert.equal(fresh.type, 'apply');
      const manifest = fresh.type === 'apply' ? fresh.manifest : form.manifest(item, place);
      const ours = live === undefined ? fresh : await decisionOf(form, item, place, live);
      return { ours, whole: live === undefined ? manifest : (form.merge?.(manifest, live) ?? manifest) };
    },
  };
}

const subjects: readonly Subject[] = [
  subjectOf('ResourceQuota', resourceQuotaForm, generators.resourceQuotas),
  subjectOf('LimitRange', limitRangeForm, generators.limitRanges),
  subjectOf('ServiceAccount', serviceAccountForm, generators.serviceAccounts),
  subjectOf('RoleBinding', roleBindingForm, generators.roleBindings),
  subjectOf('NetworkPolicy', networkPolicyForm, generators.networkPolicies),
  subjectOf('CronJob', cronJobForm, cronJobItems),
  { name: 'Namespace', type: NAMESPACES, equal: {}, items: generators.namespaces, decide: namespaceDecision },
];

/** One object on its way through desired states. */
class Chain {
  readonly #subject: Subject;
  readonly #place: string;
  #live: Unstructured | undefined;
  #dry: Unstructured | undefined;
  #item: unknown;
  readonly disagreements: object[] = [];
  objects = 0;
  pairs = 0;
  sent = 0;

  constructor(subject: Subject, place: string) {
    this.#subject = subject;
    this.#place = place;
  }

  get item(): unknown {
    return this.#item;
  }

  /** Takes the object to the item; false where the API server refuses the item itself. */
  async step(item: unknown): Promise<boolean> {
    const { type } = this.#subject;
    const { ours, whole } = await this.#subject.decide(item, this.#place, this.#live);
    const oracle = await this.#oracle(whole, ours);
    if (oracle === 'refused') return false;
    if (this.#live !== undefined) {
      this.pairs += 1;
      if ((ours.type !== 'nothing') !== (oracle === 'changes')) this.#note(item, ours, oracle);
    }
    if (ours.type === 'replace') await client.delete(type, whole.metadata, { signal });
    if (oracle === 'changes') {
      this.sent += 1;
      this.#live = await client.apply(type, withoutPreconditions(whole), { signal, fieldManager: FIELD_MANAGER });
      const again = await this.#subject.decide(item, this.#place, this.#live);
      const settled = await this.#oracle(again.whole, again.ours);
      if (again.ours.type !== 'nothing' || settled !== 'keeps') this.#note(item, again.ours, settled);
    }
    this.objects += 1;
    this.#item = item;
    return true;
  }

  /** What a dry run of the whole desired state says. */
  async #oracle(whole: Manifest, ours: Decision): Promise<'changes' | 'keeps' | 'refused'> {
    try {
      const options = { signal, fieldManager: FIELD_MANAGER, dryRun: true };
      const dry = await client.apply(this.#subject.type, withoutPreconditions(whole), options);
      this.#dry = dry;
      if (this.#live === undefined) return 'changes';
      const { equal } = this.#subject;
      return jsonEqual(contentOf(dry, equal), contentOf(this.#live, equal)) ? 'keeps' : 'changes';
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error;
      // A role that cannot be changed: the change is real, and the way to it is another.
      const immutable = error.causes.length > 0 && error.causes.every(({ field }) => field === 'roleRef');
      return immutable && ours.type === 'replace' ? 'changes' : 'refused';
    }
  }

  #note(item: unknown, ours: Decision, oracle: string): void {
    const live = this.#live === undefined ? undefined : contentOf(this.#live);
    const dry = this.#dry === undefined ? undefined : contentOf(this.#dry);
    this.disagreements.push({ ours: ours.type, oracle, item, live, dry, fields: this.#live?.metadata.managedFields });
  }
}

function withoutPreconditions(manifest: Manifest): Manifest {
  const { resourceVersion: _version, uid: _uid, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

async function makeNamespace(name: string): Promise<string> {
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.create(NAMESPACES, manifest, { signal });
  return name;
}

for (const subject of subjects) {
  test(`${subject.name}: what is sent is exactly what a dry-run apply would change`, async (t) => {
    const started = performance.now();
    const values = fc.sample(subject.items, { numRuns: OBJECTS * 2, seed: SEED });
    const random = seededRandom(SEED);
    const chains = await Promise.all(
      Array.from({ length: CHAINS }, async (_, index) => {
        const place = `oracle-${subject.name.toLowerCase()}-${index}`;
        return new Chain(subject, subject.type.namespaced ? await makeNamespace(place) : place);
      }),
    );
    const total = (what: 'objects' | 'pairs' | 'sent'): number => chains.reduce((sum, chain) => sum + chain[what], 0);
    let refused = 0;
    const run = async (chain: Chain): Promise<void> => {
      for (let drawn = values.pop(); drawn !== undefined && total('pairs') < OBJECTS; drawn = values.pop()) {
        const item = chain.item === undefined || random.next() < 0.4 ? drawn : mixture(random, chain.item, drawn);
        if (!(await chain.step(item))) refused += 1;
      }
    };
    await Promise.all(chains.map(run));
    const seconds = Math.round((performance.now() - started) / 1000);
    t.diagnostic(
      `${total('objects')} objects, ${total('pairs')} pairs, ${total('sent')} sent, ${refused} refused by the API server, ${seconds} s`,
    );
    const disagreements = chains.flatMap((chain) => chain.disagreements);
    assert.equal(disagreements.length, 0, JSON.stringify(disagreements.slice(0, 3), undefined, 1));
    assert.ok(total('pairs') >= OBJECTS && total('sent') > OBJECTS / 4 && total('sent') < total('objects'));
  });
}
