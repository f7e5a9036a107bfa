import { X509Certificate } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Manifest } from '../../../src/base/object.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { SelfManagedSource } from '../../../src/certs/self-managed-source.ts';
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../src/kube/well-known.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryCluster } from '../../support/memory-cluster.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type LogLine, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

/** One day. */
export const DAY_MS = 86_400_000;
const NAME = 'homeostat-webhook.default.svc';
/** The Secret of the scene. */
export const SECRET = { namespace: 'default', name: 'certificates' };
/** The types of both configurations. */
export const TYPES = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];
const LIFETIMES = { authorityMs: 90 * DAY_MS, certificateMs: 30 * DAY_MS, overlapMs: 30_000 };
/** Never fires. */
export const signal = new AbortController().signal;

/** The Secret as it is shipped. */
export const emptySecret: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, type: 'Opaque' };

/** A webhook configuration with two hooks and no caBundle. */
export function configuration(kind: string, annotations: Readonly<Record<string, string>> = {}): Manifest {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'homeostat', annotations },
    webhooks: ['a', 'b'].map((name) => ({
      name: `${name}.homeostat.io`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { service: { namespace: 'default', name: 'homeostat-webhook', path: `/${name}` } },
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }],
    })),
  };
}

function openScene(t: TestContext) {
  const cluster = memoryCluster(t);
  const { clock } = cluster;
  const client = memoryClient(cluster);
  let replicas = 0;
  const replica = ({ leads = true } = {}) => {
    const lines: LogLine[] = [];
    const role = { leads };
    const metrics = recordingMetrics();
    const source = new SelfManagedSource({
      client,
      secret: SECRET,
      configurations: TYPES.map((type) => ({ type, name: 'homeostat' })),
      names: [NAME],
      leads: () => role.leads,
      lifetimes: LIFETIMES,
      clock,
      random: seededRandom(++replicas),
      log: recordingLogger(lines),
      metrics,
    });
    const stop = new AbortController();
    const running = source.run(stop.signal);
    const end = async (): Promise<void> => {
      stop.abort();
      await running;
    };
    t.after(end);
    const warnings = () => lines.filter(({ level }) => level === 'warn');
    return { source, metrics, lines, warnings, role, end };
  };
  const install = async (): Promise<void> => {
    await client.create(SECRETS, emptySecret, { signal });
    for (const type of TYPES) await client.create(type, configuration(type.kind), { signal });
  };
  /** Lets time pass in small steps until the probe holds; keys are made on real threads meanwhile. */
  const until = <T>(what: string, probe: () => Promise<T | undefined | false> | T | undefined | false, stepMs = 1000) =>
    eventually(
      what,
      async () => {
        await clock.advance(stepMs);
        return probe();
      },
      { intervalMs: 5 },
    );
  return { clock, client, replica, install, until, ...readers(client) };
}

/** What the Secret and the hooks hold. */
function readers(client: KubeClient) {
  const data = async (): Promise<Readonly<Record<string, string>>> => {
    const secret = await client.get(SECRETS, SECRET, { signal });
    // A v1 Secret.
    return (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  };
  const entry = async (key: string): Promise<string> => Buffer.from((await data())[key] ?? '', 'base64').toString();
  const bundles = async (): Promise<readonly string[]> => {
    const objects = await Promise.all(TYPES.map((type) => client.get(type, { name: 'homeostat' }, { signal })));
    const hooks = objects.flatMap(
      // Webhook configurations.
      (object) => object['webhooks'] as readonly { readonly clientConfig: { readonly caBundle?: string } }[],
    );
    return hooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString());
  };
  const settled = async (authority: string): Promise<boolean> =>
    (await bundles()).every((bundle) => bundle.includes(authority));
  return { data, entry, bundles, settled };
}

/** As a source tells it. */
export const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

/** Everything of a scene: the cluster's clock and client, a way to start replicas, and readers of what stands there. */
export type Scene = ReturnType<typeof openScene>;

/** Opens one; it ends with the test. */
export const scene: (t: TestContext) => Scene = openScene;
