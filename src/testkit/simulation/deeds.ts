import { errorText } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Manifest, Unstructured } from '../../base/object.ts';
import { apiVersionOf, formatKey, groupResourceOf, keyOf, type ResourceType } from '../../base/resource.ts';
import { requestInfo } from '../../devcluster/request-info.ts';
import type { KubeClient } from '../../kube/client.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../kube/well-known.ts';
import { conditionsOf } from '../../status/conditions.ts';
import { MANAGED_BY_LABEL, OWNER_KIND_LABEL } from '../../steps/ownership.ts';
import { nameOf } from '../comparable-content.ts';
import { changesOfKept } from './kept-content.ts';
import { isChild } from './ownership-marks.ts';
import { type Deed, FOREIGN_CONDITION, type Meddling } from './scenario.ts';
import type { Setting } from './setting.ts';
import type { World } from './world.ts';

/** Field manager of a person's kubectl. */
const PERSON = 'kubectl';

/** Finalizer of somebody else, and how long it stays. */
const HOLD = 'example.org/hold';
const HOLD_MS = 6000;

/** What another controller says. */
const AUDITED = { type: FOREIGN_CONDITION, status: 'True', reason: 'Seen', message: '' } as const;

const CONFIGURATIONS = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];

/** What people and programs other than the service do in a world. A deed that is refused is a deed that was tried. */
export class Deeds {
  readonly #world: World;
  readonly #types: readonly ResourceType[];
  readonly #webhooks: readonly Manifest[];
  /** Field managers of the service. */
  readonly #managers: ReadonlySet<string>;
  #pending = 0;

  /** A bypass takes the webhooks of the setting away for a moment. */
  constructor(world: World, { types, webhooks, kinds }: Pick<Setting, 'types' | 'webhooks' | 'kinds'>) {
    this.#world = world;
    this.#types = types;
    this.#webhooks = webhooks;
    this.#managers = new Set(kinds.map(({ controller }) => controller));
  }

  /** Deeds that are under way. */
  get pending(): number {
    return this.#pending;
  }

  /** Begins a deed. */
  begin(deed: Deed): void {
    this.#pending += 1;
    this.#do(deed)
      .catch((error: unknown) => this.#world.trace.note('person', `${deed.type} was refused: ${errorText(error)}`))
      .finally(() => (this.#pending -= 1));
  }

  async #do(deed: Deed): Promise<void> {
    const { person: client } = this.#world;
    const options = { signal: new AbortController().signal, fieldManager: PERSON };
    switch (deed.type) {
      case 'apply':
        if (deed.bypass) await this.#bypassing(client, () => this.#apply(deed.manifest));
        else await this.#apply(deed.manifest);
        return;
      case 'annotate': {
        const body = { metadata: { annotations: Object.fromEntries(orNull(deed.annotations)) } };
        await client.patch(deed.target, deed.key, { type: 'merge', body }, options);
        return;
      }
      case 'delete':
        await client.delete(deed.target, deed.key, options);
        return;
      case 'report':
        await this.#report(deed.target, await client.get(deed.target, deed.key, options));
        return;
      case 'meddle':
        await this.#meddle(deed.pick, deed.how);
        return;
      case 'rival':
        await this.#rival(deed);
        return;
      case 'meddleVault':
        this.#meddleVault(deed.pick, deed.how);
        return;
    }
  }

  async #apply(manifest: Manifest): Promise<void> {
    const { person } = this.#world;
    const options = { signal: new AbortController().signal, fieldManager: PERSON };
    await person.apply(this.#typeOf(manifest), manifest, options);
  }

  async #bypassing(client: KubeClient, work: () => Promise<void>): Promise<void> {
    const { signal } = new AbortController();
    for (const type of CONFIGURATIONS) {
      for (const { metadata } of this.#webhooks.filter(({ kind }) => kind === type.kind)) {
        await client.delete(type, { name: metadata.name }, { signal });
      }
    }
    try {
      await work();
    } finally {
      for (const webhook of this.#webhooks) await client.create(this.#typeOf(webhook), webhook, { signal });
    }
  }

  async #meddle(pick: number, how: Meddling): Promise<void> {
    const { cluster, person } = this.#world;
    const children = cluster.storage
      .resources()
      .flatMap((resource) => cluster.storage.list(resource))
      .filter((object) => isChild(object) && this.#types.some((type) => isOf(object, type)));
    if (how === 'disown') {
      this.#world.trace.note('meddler', 'takes the labels of their owners off all children');
      await Promise.all(children.map((child) => this.#change(child, { how: 'unlabel', pick })));
      return;
    }
    const { one: child, pick: rest } = chosen(children, pick);
    if (child === undefined) return;
    const type = this.#typeOf(child);
    this.#world.trace.note('meddler', `${how} ${nameOf(child)}`);
    const { signal } = new AbortController();
    if (how === 'delete') {
      await person.delete(type, keyOf(child), { signal });
      return;
    }
    if (how === 'hold') {
      await this.#hold(type, child);
      return;
    }
    await this.#change(child, { how, pick: rest });
  }

  async #change(object: Unstructured, change: Change, who: 'meddler' | 'rival' = 'meddler'): Promise<void> {
    const { signal } = new AbortController();
    const patch = { type: 'merge' as const, body: this.#patchOf(object, change) };
    if (change.how === 'change') this.#world.trace.note(who, `sends ${JSON.stringify(patch.body)}`);
    await this.#world.person.patch(this.#typeOf(object), keyOf(object), patch, { signal, fieldManager: 'meddler' });
  }

  /** A merge patch that does this to an object; it is empty where nothing of it can be changed. */
  #patchOf(object: Unstructured, { how, pick }: Change): JsonObject {
    switch (how) {
      case 'unlabel':
        return { metadata: { labels: { [MANAGED_BY_LABEL]: null, [OWNER_KIND_LABEL]: null } } };
      case 'annotate':
        return { metadata: { annotations: { 'example.org/note': `seen ${formatKey(keyOf(object))}` } } };
      case 'change':
        return chosen(changesOfKept(object, this.#managers), pick).one ?? {};
    }
  }

  /** Puts a finalizer on a child and takes it off after a while; whoever deletes the child meanwhile has to wait. */
  async #hold(type: ResourceType, child: Unstructured): Promise<void> {
    const { person: client, timeline, personLane } = this.#world;
    const options = { signal: new AbortController().signal, fieldManager: 'meddler' };
    const { uid, finalizers = [] } = child.metadata;
    const hold = (names: readonly string[]) => ({
      type: 'merge' as const,
      body: { metadata: { uid, finalizers: [...names] } },
    });
    await client.patch(type, keyOf(child), hold([...finalizers, HOLD]), options);
    await new Promise<void>((resolve) => void timeline.after(personLane, HOLD_MS, resolve));
    const { metadata } = await client.get(type, keyOf(child), options);
    await client.patch(type, keyOf(child), hold((metadata.finalizers ?? []).filter((name) => name !== HOLD)), options);
  }

  /** Writes to what a request names, without a look at it first: that would be too late. */
  async #rival({ path, how, pick }: Extract<Deed, { readonly type: 'rival' }>): Promise<void> {
    const { resource, group, namespace, name } = requestInfo({ method: 'GET', path, query: new URLSearchParams() });
    const type = this.#types.find((known) => known.plural === resource && known.group === group);
    const object =
      type && this.#world.cluster.storage.get(groupResourceOf(type), namespace === '' ? name : `${namespace}/${name}`);
    if (type === undefined || object === undefined) return;
    this.#world.trace.note('rival', `${how} ${nameOf(object)}`);
    const { person } = this.#world;
    const options = { signal: new AbortController().signal, fieldManager: 'meddler' };
    if (how === 'delete') {
      await person.delete(type, keyOf(object), options);
    } else if (how === 'report') {
      if (!isChild(object)) await this.#report(type, object);
    } else {
      await this.#change(object, { how: isChild(object) ? how : 'annotate', pick }, 'rival');
    }
  }

  /** Says something in a status, beside what others say there. */
  async #report(target: ResourceType, live: Unstructured): Promise<void> {
    const { person: client } = this.#world;
    const options = { signal: new AbortController().signal, fieldManager: 'auditor', subresource: 'status' } as const;
    const said = conditionsOf(live).filter(({ type }) => type !== FOREIGN_CONDITION);
    if (said.length === 0) return;
    const word = { ...AUDITED, lastTransitionTime: live.metadata.creationTimestamp ?? '' };
    const body = {
      metadata: { resourceVersion: live.metadata.resourceVersion },
      status: { conditions: [...said.map((condition) => ({ ...condition })), word] },
    };
    await client.patch(target, keyOf(live), { type: 'merge', body }, options);
  }

  #meddleVault(pick: number, how: 'remove' | 'change'): void {
    const { fake } = this.#world.vault;
    const names = fake.policies.names.filter((name) => name.startsWith('sim.'));
    const { one: name } = chosen(names, pick);
    if (name === undefined) return;
    this.#world.trace.note('meddler', `${how} Vault policy ${name}`);
    if (how === 'remove') fake.policies.serve('DELETE', name, {});
    else fake.policies.set(name, `${headOf(fake.policies.get(name))}path "foreign" {\n  capabilities = ["read"]\n}\n`);
  }

  #typeOf(object: Pick<Manifest, 'apiVersion' | 'kind'>): ResourceType {
    const type = this.#types.find((known) => isOf(object, known));
    if (type !== undefined) return type;
    throw new Error(`a simulation knows no ${object.apiVersion} ${object.kind}`);
  }
}

/** A change of an object; `pick`, from 0 to 1, chooses which where there are several. */
interface Change {
  readonly how: 'unlabel' | 'annotate' | 'change';
  readonly pick: number;
}

/** One of some things, and what is left of a pick to choose by again. */
function chosen<Thing>(
  things: readonly Thing[],
  pick: number,
): { readonly one: Thing | undefined; readonly pick: number } {
  const place = pick * things.length;
  const index = Math.floor(place);
  return { one: things[index], pick: place - index };
}

/** The line by which the service knows a policy as its own. */
function headOf(policy = ''): string {
  return policy.slice(0, policy.indexOf('\n') + 1);
}

function isOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>, type: ResourceType): boolean {
  return type.kind === kind && apiVersionOf(type) === apiVersion;
}

function orNull(annotations: Readonly<Record<string, string>>): readonly (readonly [string, string | null])[] {
  return Object.entries(annotations).map(([name, value]) => [name, value === '' ? null : value]);
}
