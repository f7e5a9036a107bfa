import { sleep } from '../base/abort.ts';
import { isForbidden } from '../kube/api-error-predicates.ts';
import { listObjects } from '../kube/list-objects.ts';
import { LEASES } from '../kube/well-known.ts';
import { NAMES } from '../manifests/settings.ts';
import { type LeaseRecord, readLease } from '../runtime/lease-record.ts';
import { isLeaseOfShard } from '../runtime/shard.ts';
import { type VerifyAccess, withoutRight } from './verify-access.ts';
import { type About, broken, type Finding, well } from './verify-finding.ts';

/** What is needed to look at the Leases. */
export type LeaderAccess = Pick<VerifyAccess, 'client' | 'clock' | 'signal' | 'settings'>;

/** A holder renews every 2 s; a Lease that stands still for longer than this is held by nobody. */
const WATCH_MS = 5000;

/**
 * Whether a controller holds a Lease and renews it. The holder's clock may differ from ours, so one that looks old is looked at a
 * second time, for a change.
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
  const fresh = [...before].filter(([, lease]) => isHeld(lease) && ageMs(lease, clock.now()) <= lifeMs(lease));
  if (fresh.length > 0) return well(about, `held by ${namesOf(fresh)}, and renewed`);
  await sleep(clock, WATCH_MS, signal);
  const moved = [...(await leases(access))].filter(
    ([name, lease]) => isHeld(lease) && lease.renewTime !== before.get(name)?.renewTime,
  );
  if (moved.length > 0) return well(about, `held by ${namesOf(moved)}, and renewed, by a clock that differs from ours`);
  const [[, last] = []] = before;
  const since = last === undefined || last.renewTime === '' ? '' : ` since ${last.renewTime}`;
  return broken(about, `Nobody renews it${since}: nothing is reconciled`, lookAtPods(settings.namespace));
}

async function leases({ client, signal, settings }: LeaderAccess): Promise<ReadonlyMap<string, LeaseRecord>> {
  const found = new Map<string, LeaseRecord>();
  for await (const lease of listObjects(client, LEASES, { namespace: settings.namespace }, { signal })) {
    if (isLeaseOfShard(lease.metadata.name)) found.set(lease.metadata.name, readLease(lease));
  }
  return found;
}

function isHeld({ holder }: LeaseRecord): boolean {
  return holder !== '';
}

function ageMs({ renewTime }: LeaseRecord, now: number): number {
  const renewed = Date.parse(renewTime);
  return Number.isNaN(renewed) ? Number.POSITIVE_INFINITY : Math.abs(now - renewed);
}

function lifeMs({ durationSeconds }: LeaseRecord): number {
  return durationSeconds * 1000;
}

/** Each holder once: who holds the Lease of a stage beside its own is named there behind the name of its own. */
function namesOf(leases: readonly (readonly [string, LeaseRecord])[]): string {
  return [...new Set(leases.map(([, { holder }]) => holder.slice(holder.lastIndexOf('/') + 1)))].join(', ');
}

function lookAtPods(namespace: string): string {
  return `Look at kubectl get pods -n ${namespace} -l app.kubernetes.io/name=${NAMES.app} and the log of one for "lease"`;
}
