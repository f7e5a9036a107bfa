import { sleep } from '../base/abort.ts';
import { isForbidden } from '../kube/api-error-predicates.ts';
import { listObjects } from '../kube/list-objects.ts';
import { LEASES } from '../kube/well-known.ts';
import { NAMES } from '../manifests/settings.ts';
import { type LeaseRecord, readLease } from '../runtime/lease-record.ts';
import { isLeaseOfShard, leaseOf, stageShard } from '../runtime/shard.ts';
import { type VerifyAccess, withoutRight } from './verify-access.ts';
import { type About, broken, type Finding, well } from './verify-finding.ts';

/** What is needed to look at the Leases. */
export type LeaderAccess = Pick<VerifyAccess, 'client' | 'clock' | 'signal' | 'settings'>;

/**
 * A holder renews every 2 s; a Lease that stands still for longer than this is held by nobody, however long it says that it may be held:
 * anybody can have written that.
 */
const WATCH_MS = 5000;

/**
 * Whether a controller renews the Lease of all objects that no stage has for itself, or one of the parts'. The holder's clock may differ from
 * ours, so a Lease that looks old is looked at a second time, for a change. What of the others stands still is named: an instance that is
 * gone for good leaves its Lease behind.
 */
export async function verifyLeader(access: LeaderAccess): Promise<Finding> {
  const about: About = { joint: 'leader', subject: `Lease ${NAMES.app}` };
  try {
    return await judge(access, about);
  } catch (error) {
    if (isForbidden(error)) return withoutRight(about, `list leases in ${access.settings.namespace}`);
    throw error;
  }
}

async function judge(access: LeaderAccess, about: About): Promise<Finding> {
  const { clock, signal, settings } = access;
  const before = await leases(access);
  if (before.size === 0)
    return broken(about, 'There is none: no controller has ever led', lookAtPods(settings.namespace));
  const fresh = held(before).filter(([, lease]) => ageMs(lease, clock.now()) <= WATCH_MS);
  if (fresh.some(isMain) && fresh.length === held(before).length)
    return well(about, `held by ${namesOf(fresh)}, and renewed`);
  await sleep(clock, WATCH_MS, signal);
  const after = held(await leases(access));
  const moved = after.filter(([name, { renewTime }]) => renewTime !== before.get(name)?.renewTime);
  if (!moved.some(isMain)) {
    const { renewTime = '' } = before.get(NAMES.app) ?? {};
    const since = renewTime === '' ? '' : ` since ${renewTime}`;
    return broken(
      about,
      `Nobody renews it${since}: nothing is reconciled but stages that have controllers of their own`,
      lookAtPods(settings.namespace),
    );
  }
  const [dead] = after.filter((lease) => !moved.includes(lease));
  const others =
    dead === undefined
      ? ''
      : `; nobody renews ${dead[0]} since ${dead[1].renewTime}, and homeostat shards verify tells whether anybody should`;
  return well(about, `held by ${namesOf(moved)}, and renewed${others}`);
}

type Held = readonly [string, LeaseRecord];

function held(found: ReadonlyMap<string, LeaseRecord>): readonly Held[] {
  return [...found].filter(([, { holder }]) => holder !== '');
}

/** Whether a Lease is that of what no stage has for itself: the common one, or a part's. */
function isMain([name]: Held): boolean {
  return !name.startsWith(leaseOf(stageShard('')));
}

async function leases({ client, signal, settings }: LeaderAccess): Promise<ReadonlyMap<string, LeaseRecord>> {
  const found = new Map<string, LeaseRecord>();
  for await (const lease of listObjects(client, LEASES, { namespace: settings.namespace }, { signal })) {
    if (isLeaseOfShard(lease.metadata.name)) found.set(lease.metadata.name, readLease(lease));
  }
  return found;
}

function ageMs({ renewTime }: LeaseRecord, now: number): number {
  const renewed = Date.parse(renewTime);
  return Number.isNaN(renewed) ? Number.POSITIVE_INFINITY : Math.abs(now - renewed);
}

/** Each holder once: who holds the Lease of a stage beside its own is named there behind the name of its own. */
function namesOf(renewed: readonly Held[]): string {
  return [...new Set(renewed.map(([, { holder }]) => holder.slice(holder.lastIndexOf('/') + 1)))].join(', ');
}

function lookAtPods(namespace: string): string {
  return `Look at kubectl get pods -n ${namespace} -l app.kubernetes.io/name=${NAMES.app} and the log of one for "lease"`;
}
