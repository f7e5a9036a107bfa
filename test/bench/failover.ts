import { setTimeout as delay } from 'node:timers/promises';
import type { OwnedProcess } from '../controlplane/owned-processes.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { receivedMs } from './answers-in-time.ts';
import { isWriteOf, listQuotas, type OperateScene, SETTLE_LIMIT_MS } from './operate-scene.ts';
import { type Quantiles, quantiles } from './quantiles.ts';
import { benchNamespace, countReady, environmentName, environmentSpec } from './workload.ts';

/** From the kill of the leader, in milliseconds. */
export interface Failover {
  readonly subject: string;
  readonly case: 'failover';
  /** Until the standby has the Lease. */
  readonly lease: Quantiles;
  /** Until the arrival of its first write for an object. */
  readonly firstWrite: Quantiles;
}

/** Two of the replicas, one of which leads. */
type Replicas = Map<string, OwnedProcess>;

/** Kills the leader of two replicas again and again; each time an Environment is changed at once, so that there is something to do. */
export async function failover(scene: OperateScene, kills: number): Promise<Failover> {
  const { plane, subject, user } = scene;
  const replicas: Replicas = new Map();
  await startReplica(scene, replicas, 'a');
  await startReplica(scene, replicas, 'b');
  await eventually('all Environments to be Ready', async () => (await countReady(plane)) >= kills, {
    timeoutMs: SETTLE_LIMIT_MS,
  });
  const killedAt: number[] = [];
  for (let round = 0; round < kills; round++) {
    // What the passes before have written is behind by then, so that the next write is the standby's.
    await delay(2000);
    killedAt.push(await killLeader(plane, replicas));
    await changeQuota(plane, round);
    await startReplica(scene, replicas, `r${round}`);
  }
  const entries = await plane.auditEntries({ user });
  const after = (ms: number, wanted: (entry: (typeof entries)[number]) => boolean): number =>
    Math.min(
      ...entries
        .filter(wanted)
        .map(receivedMs)
        .filter((received) => received > ms),
    ) - ms;
  return {
    subject: subject.name,
    case: 'failover',
    lease: quantiles(
      killedAt.map((ms) => after(ms, ({ verb, objectRef }) => verb === 'update' && objectRef?.resource === 'leases')),
    ),
    firstWrite: quantiles(killedAt.map((ms) => after(ms, isWriteOf(user)))),
  };
}

async function startReplica({ plane, group, subject }: OperateScene, replicas: Replicas, name: string): Promise<void> {
  const { program, args, env, operations } = await subject.command(plane);
  const own = [`--name=${name}`, '--leader-elect'];
  const replica = await group.start(`${subject.name}-${name}`, program, [...args, ...own], { env });
  replicas.set(name, replica);
  await eventually(
    `${name} to be ready`,
    async () => (await fetch(`http://127.0.0.1:${operations?.healthPort}/readyz`)).ok,
    {
      timeoutMs: SETTLE_LIMIT_MS,
    },
  );
}

/** Kills whoever holds the Lease and gives the moment. */
async function killLeader(plane: ControlPlane, replicas: Replicas): Promise<number> {
  const { body } = await plane.request(
    'GET',
    `/apis/coordination.k8s.io/v1/namespaces/${benchNamespace}/leases/homeostat`,
  );
  // The Lease that replicas campaign for; its holder's name begins with the replica's.
  const { spec } = body as { readonly spec: { readonly holderIdentity: string } };
  const name = spec.holderIdentity.replace(/_.*$/, '');
  const leader = replicas.get(name);
  if (leader === undefined) throw new Error(`Nobody here is ${spec.holderIdentity}, who holds the Lease.`);
  replicas.delete(name);
  const killedAt = Date.now();
  leader.signal('SIGKILL');
  await eventually(`${name} to end`, () => !leader.isRunning());
  return killedAt;
}

/** Changes an Environment and waits until its child shows that. */
async function changeQuota(plane: ControlPlane, round: number): Promise<void> {
  const name = environmentName(round);
  const path = `/apis/homeostat.io/v1alpha1/namespaces/${benchNamespace}/environments/${name}`;
  const spec = { ...environmentSpec, resourceQuotas: [{ name: 'compute', hard: { pods: '12' } }] };
  const { code } = await plane.request('PATCH', path, { spec }, 'application/merge-patch+json');
  if (code !== 200) throw new Error(`Environment ${name} was not changed: ${code}`);
  const shows = async (): Promise<boolean> =>
    (await listQuotas(plane)).some(({ namespace, pods }) => namespace === `${benchNamespace}-${name}` && pods === '12');
  await eventually(`the child of ${name} to be changed`, shows, { timeoutMs: SETTLE_LIMIT_MS });
}
