import { type FlagTable, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { ObjectStages } from '../app/object-stages.ts';
import { auditedObject, readInstances } from '../app/shard-auditor.ts';
import { Snapshot } from '../app/snapshot.ts';
import { systemClock } from '../app/system-ports.ts';
import { sleep } from '../base/abort.ts';
import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { listServed } from '../kube/list-objects.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import type { Lookup } from '../rules/lookup.ts';
import { formatDeclaration } from '../runtime/shard.ts';
import { isLive, ShardAudit, type ShardReport } from '../runtime/shard-audit.ts';
import type { ShardInstance } from '../runtime/shard-lease.ts';
import type { Kind } from '../sdk/kind.ts';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, withCluster } from './cluster-client.ts';
import type { CommandContext } from './command.ts';
import { OUTPUT_FLAG, readOutputFormat } from './output-format.ts';

const FLAGS = {
  ...NAMESPACE_FLAG,
  ...OUTPUT_FLAG,
  ...CLUSTER_FLAGS,
} as const satisfies FlagTable;

/** Longer than a holder waits before it renews; by then a Lease that only seems to have run out has changed. */
const RENEWAL_MS = 5000;

/** Longer than an object needs to change hands, a crashed owner's Lease included where nobody else holds it. */
const HANDOVER_MS = 20_000;

/** More than these would hide the first. */
const SHOWN_FINDINGS = 20;

/** What is known of all instances, and of all objects. */
interface Verified extends Omit<ShardReport, 'awaited'> {
  readonly ok: boolean;
  readonly instances: readonly (Omit<ShardInstance, 'declaration'> & {
    readonly declaration: string;
    readonly live: boolean;
  })[];
}

/** Help of `homeostat shards`. */
export function usage(): string {
  return [
    'Usage: homeostat shards verify [flags]',
    '',
    'Proves that every object has exactly one instance that reconciles it, and that all instances run one version; or names the',
    'objects that have none or several, and the instances. What an instance reconciles stands on its Lease. Nothing is written.',
    'Exit code 0 when it is so, 1 when it is not, 2 when the command line is not understood.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat shards`. */
export async function command(context: CommandContext): Promise<number> {
  const { kinds, argv, env, terminal, signal } = context;
  const { flags, words } = parseArguments(FLAGS, argv, env);
  if (words.length !== 1 || words[0] !== 'verify') {
    const got = words.length === 0 ? 'none was given' : `got "${words.join(' ')}"`;
    throw new UsageError(`homeostat shards knows one action, verify; ${got}`);
  }
  const format = readOutputFormat(flags.o);
  const verified = await withCluster(context, flags, 'shards', ({ client }) =>
    verifyShards({ kinds, client, namespace: flags.namespace, signal }),
  );
  if (format === 'json') terminal.out(JSON.stringify(verified, undefined, 2));
  else for (const line of linesOf(verified)) terminal.out(line);
  return verified.ok ? 0 : 1;
}

/** What verifying needs. */
interface VerifyOptions {
  readonly kinds: readonly Kind[];
  readonly client: KubeClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

async function verifyShards(options: VerifyOptions): Promise<Verified> {
  const instances = await liveInstances(options);
  const report = await auditOnce(options, instances);
  if (report.awaited.size === 0) return verified(instances, report);
  // A move takes a moment; what has not moved by then is told.
  await sleep(systemClock, HANDOVER_MS, options.signal);
  const later = await liveInstances(options);
  return verified(later, await auditOnce(options, later, report.awaited));
}

async function auditOnce(
  options: VerifyOptions,
  instances: readonly SeenInstance[],
  before?: ShardReport['awaited'],
): Promise<ShardReport> {
  const audit = new ShardAudit(
    instances.filter((one) => one.live),
    instances.filter((one) => !one.live),
    before,
  );
  const { reconciled, lookup } = await readObjects(options);
  const stages = new ObjectStages({ kinds: options.kinds, lookup });
  for (const [type, object] of reconciled) audit.add(auditedObject(object, stages.stageOf(type, object)));
  return audit.report();
}

function verified(instances: readonly SeenInstance[], { awaited: _awaited, ...report }: ShardReport): Verified {
  return {
    ok: report.findings.length === 0 && instances.some((one) => one.live),
    instances: instances.map((one) => ({ ...one, declaration: formatDeclaration(one.declaration) })),
    ...report,
  };
}

/** An instance, and whether anybody is it now. */
type SeenInstance = ShardInstance & { readonly live: boolean };

async function liveInstances({ client, namespace, signal }: VerifyOptions): Promise<readonly SeenInstance[]> {
  const first = await readInstances(client, namespace, signal);
  const alive = (one: ShardInstance): boolean => isLive(one, systemClock.now());
  if (first.every((one) => one.holder === '' || alive(one))) return first.map((one) => ({ ...one, live: alive(one) }));
  await sleep(systemClock, RENEWAL_MS, signal);
  const later = await readInstances(client, namespace, signal);
  const before = (lease: string): ShardInstance | undefined => first.find((one) => one.lease === lease);
  return later.map((one) => ({ ...one, live: isLive(one, systemClock.now(), before(one.lease)) }));
}

/** All objects that are reconciled, each with its kind, and what their stages are told by. */
async function readObjects({ kinds, client, signal }: VerifyOptions): Promise<ReadObjects> {
  const cluster = Snapshot.empty(kinds);
  const reconciled: (readonly [ResourceType, Unstructured])[] = [];
  if (cluster.holds(NAMESPACES)) {
    for await (const namespace of listServed(client, NAMESPACES, {}, { signal })) cluster.put(NAMESPACES, namespace);
  }
  for (const { type, pipeline } of kinds) {
    for await (const object of listServed(client, type, {}, { signal })) {
      cluster.put(type, object);
      if (pipeline !== undefined) reconciled.push([type, object]);
    }
  }
  return { reconciled, lookup: cluster };
}

interface ReadObjects {
  readonly reconciled: readonly (readonly [ResourceType, Unstructured])[];
  readonly lookup: Lookup;
}

function linesOf({ ok, instances, objects, owned, findings }: Verified): readonly string[] {
  const rows = instances.map(({ lease, declaration, version, live, holder }) =>
    live
      ? `${lease}: ${declaration}, version ${version}, ${owned[lease] ?? 0} objects, held by ${holder}`
      : `${lease}: ${declaration}, held by nobody`,
  );
  const shown = findings.slice(0, SHOWN_FINDINGS).map(({ message }) => message);
  const rest = findings.length - shown.length;
  if (ok) return [...rows, `Each of ${objects} objects has exactly one owner.`];
  if (findings.length === 0) return [...rows, 'No instance runs: nobody holds a Lease of this service.'];
  return [...rows, ...shown, ...(rest > 0 ? [`and ${rest} more; -o json shows all.`] : [])];
}
