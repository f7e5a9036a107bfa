import { isRecord } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import type { ApiResponse } from '../../devcluster/exchange.ts';
import { requestInfo } from '../../devcluster/request-info.ts';
import type { StoredEvent } from '../../devcluster/watch-cache.ts';
import type { TransportRequest } from '../../kube/transport.ts';
import type { Kind } from '../../sdk/kind.ts';
import { conditionOf, conditionsOf } from '../../status/conditions.ts';
import { conditionFaults } from '../../status/kstatus.ts';
import { OWNER_UID_ANNOTATION } from '../../steps/ownership.ts';
import { nameOf } from '../comparable-content.ts';
import type { Finding } from './findings.ts';
import { leftBehind } from './left-behind.ts';
import type { Leadership } from './leadership.ts';
import type { NetworkEnd, Passage } from './network.ts';
import { isChild, isOwn } from './ownership-marks.ts';
import { isLeft } from './rebuilt.ts';
import { FOREIGN_CONDITION } from './scenario.ts';
import { TOKEN_PREFIX } from './simulated-vault.ts';
import type { World } from './world.ts';

/** A text that stands in every Secret of a simulation, and must stand nowhere else. */
export const SECRET_TEXT = 'simulated-secret';

const LEASES = 'leases.coordination.k8s.io';
const EVENTS = 'events';

/** More of one and the same request within this time is a hot loop. */
const MOST_OF_ONE_KIND = 40;
const PACE_MS = 2000;

/** What a replica has written so far. */
export interface WriteCounts {
  /** Requests that changed something, Leases and Events left out. */
  writes: number;
  /** Requests that were carried out and changed nothing. */
  idle: number;
  /** Events created or extended. */
  events: number;
}

/** Judges each request of the service when it is sent and when it has been carried out: what must hold at every moment. */
export class Safety {
  readonly findings: Finding[] = [];
  readonly counts: WriteCounts = { writes: 0, idle: 0, events: 0 };
  readonly #kinds: readonly Kind[];
  readonly #leadership: Leadership;
  readonly #leaseOf: (replica: string) => string;
  readonly #stored: StoredEvent[] = [];
  /** Where in what was stored a request began. */
  readonly #begun = new WeakMap<TransportRequest, number>();
  /** Uids of objects that were to leave behind what they made when their deletion was asked for, and are still. */
  readonly #leaving = new Set<string>();
  /** Where in what was stored a process was told that an object is not there, by process and path. */
  readonly #missed = new Map<string, number>();
  readonly #paces = new Map<string, { readonly sinceMs: number; count: number }>();
  #world: World | undefined;

  /** `leaseOf` names the Lease that a replica works under. */
  constructor(kinds: readonly Kind[], leadership: Leadership, leaseOf: (replica: string) => string) {
    this.#kinds = kinds;
    this.#leadership = leadership;
    this.#leaseOf = leaseOf;
  }

  /** The world it judges. */
  observe(world: World): void {
    this.#world = world;
  }

  /** Hears of each write, whoever made it. */
  stored(event: StoredEvent): void {
    this.#stored.push(event);
    const { object, previous } = event;
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined || !isOwn(object, this.#kinds)) return;
    // What a person changes after that may come too late.
    if (previous?.metadata.deletionTimestamp === undefined && isToLeave(object)) this.#leaving.add(uid);
    else if (!isToLeave(object)) this.#leaving.delete(uid);
  }

  /** A request leaves a process. */
  sent(end: NetworkEnd, request: TransportRequest, _passage: Passage): void {
    if (request.lane === 'request' && end.name !== 'person') this.#judgePace(end.name, request);
    if (request.method === 'GET' || end.name === 'person') return;
    this.#begun.set(request, this.#stored.length);
    if (request.body?.includes(SECRET_TEXT) === true || request.body?.includes(TOKEN_PREFIX) === true) {
      this.#find('no secret in any message', `${end.name} sends a secret with ${request.method} ${request.path}`);
    }
    if (request.lane !== 'request' || request.path.includes('/events')) return;
    this.#judgePreconditions(end.name, request);
    if (request.path.includes('/subjectaccessreviews')) return;
    const holder = this.#leadership.holderOf(this.#leaseOf(end.name));
    if (holder !== end.name) {
      const who = holder === '' ? 'nobody' : holder;
      this.#find(
        'no write without the lease',
        `${end.name} sends ${request.method} ${request.path} while ${who} leads`,
      );
    }
  }

  /** Whoever asks the same thing over and over waits for something in the wrong way. */
  #judgePace(who: string, { method, path }: TransportRequest): void {
    const now = this.#world?.timeline.nowMs ?? 0;
    const asked = `${who} ${method} ${path}`;
    const known = this.#paces.get(asked);
    const pace = known !== undefined && now - known.sinceMs < PACE_MS ? known : { sinceMs: now, count: 0 };
    this.#paces.set(asked, pace);
    pace.count += 1;
    if (pace.count === MOST_OF_ONE_KIND) {
      this.#find(
        'nothing is asked in a hot loop',
        `${who} sends ${method} ${path} ${pace.count} times in ${PACE_MS} ms`,
      );
    }
  }

  /** What is destroyed is named by its uid, and a status is written under the version it was computed from. */
  #judgePreconditions(who: string, { method, path, body = '' }: TransportRequest): void {
    if (method === 'DELETE' && !body.includes('"uid"')) {
      this.#find('every deletion names the uid', `${who} sends DELETE ${path} for whatever bears that name by then`);
    }
    if (method === 'PATCH' && /\/status(\?|$)/.test(path) && !body.includes('"resourceVersion"')) {
      this.#find(
        'every status is written under its version',
        `${who} sends PATCH ${path} over whatever is there by then`,
      );
    }
  }

  /** A request has been carried out. */
  answered(end: NetworkEnd, request: TransportRequest, answer: ApiResponse): void {
    if (end.name === 'person' || request.lane !== 'request') return;
    const cut = request.path.indexOf('?');
    const path = cut < 0 ? request.path : request.path.slice(0, cut);
    if (request.method === 'GET') {
      if (answer.status === 404) this.#missed.set(`${end.name} ${path}`, this.#stored.length);
    } else this.#altered(end, { ...request, path }, { status: answer.status, since: this.#begun.get(request) });
  }

  /** `path` is without a query; `since` where in what was stored the request began. */
  #altered(
    end: NetworkEnd,
    { method, path }: Pick<TransportRequest, 'method' | 'path'>,
    { status, since }: { readonly status: number; readonly since: number | undefined },
  ): void {
    const info = requestInfo({ method, path, query: new URLSearchParams() });
    if (info.resource.endsWith('reviews')) return;
    if (info.resource === 'events') {
      this.counts.events += status < 300 ? 1 : 0;
      return;
    }
    const storage = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
    const mine = this.#stored
      .slice(since ?? this.#stored.length)
      .filter(
        ({ resource, object: { metadata } }) =>
          resource === storage &&
          (info.name === '' || info.name === metadata.name) &&
          (info.resource === 'namespaces' || info.namespace === (metadata.namespace ?? '')),
      );
    if (status >= 300) return;
    this.counts[mine.length > 0 ? 'writes' : 'idle'] += 1;
    const missed = this.#missed.get(`${end.name} ${path}`);
    for (const event of mine) if (missed === undefined || !this.#isRace(event, missed)) this.#judge(end.name, event);
  }

  /**
   * Whether somebody else put the object there after the service was told that there is none: an apply makes or changes, and cannot be
   * told to do the one alone.
   */
  #isRace({ object, previous }: StoredEvent, missed: number): boolean {
    return (
      previous !== undefined &&
      !isChild(previous) &&
      this.#stored
        .slice(missed)
        .some(({ type, object: { metadata } }) => type === 'ADDED' && metadata.uid === object.metadata.uid)
    );
  }

  #judge(who: string, event: StoredEvent): void {
    const { object, previous } = event;
    this.#judgeRemoval(who, event);
    if (isOwn(object, this.#kinds)) this.#judgeOwn(event);
    else if (previous !== undefined && !isChild(previous) && !this.#isDefaultAccount(previous)) {
      this.#find('nothing foreign is touched', `${who} writes ${nameOf(object)}, which is not its own`);
    } else if (previous === undefined && !isChild(object)) {
      this.#find('nothing foreign is touched', `${who} creates ${nameOf(object)} without a mark of its owner`);
    }
  }

  /** An owner that is to leave behind what it made takes nothing of it away when it goes. */
  #judgeRemoval(who: string, { type, object, previous }: StoredEvent): void {
    const isGoing = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    const owner = object.metadata.annotations?.[OWNER_UID_ANNOTATION];
    if (!isGoing || previous?.metadata.deletionTimestamp !== undefined) return;
    if (owner === undefined || !this.#leaving.has(owner)) return;
    this.#find('what is to be left is left', `${who} deletes ${nameOf(object)}, which its owner is to leave behind`);
  }

  #judgeOwn(event: StoredEvent): void {
    this.#judgeStatus(event);
    const { type, object, previous } = event;
    const { deletionTimestamp, finalizers = [], uid } = object.metadata;
    const released = (previous?.metadata.finalizers?.length ?? 0) > (type === 'DELETED' ? 0 : finalizers.length);
    if (deletionTimestamp === undefined || !released) return;
    const world = this.#world;
    const others = world === undefined ? [] : leftBehind(object, world);
    for (const left of [...this.#childrenOf(uid).map(nameOf), ...others]) {
      this.#find('the finalizer is held until all is gone', `${nameOf(object)} is released while ${left} is there`);
    }
  }

  /** The account that the cluster puts into every namespace is ours where the namespace is. */
  #isDefaultAccount({ kind, metadata }: Unstructured): boolean {
    const namespace = this.#world?.cluster.storage.get('namespaces', metadata.namespace ?? '');
    return kind === 'ServiceAccount' && metadata.name === 'default' && namespace !== undefined && isChild(namespace);
  }

  #judgeStatus({ object, previous }: StoredEvent): void {
    if (previous === undefined) return;
    if (isReported(previous) && !isReported(object)) {
      this.#find('the conditions of others are kept', `${nameOf(object)} has lost ${FOREIGN_CONDITION}`);
    }
    if (previous['status'] === object['status'] || !isRecord(object['status'])) return;
    for (const fault of statusFaults(object)) this.#find('every status is sound', `${nameOf(object)}: ${fault}`);
  }

  #childrenOf(uid: string): readonly Unstructured[] {
    const storage = this.#world?.cluster.storage;
    if (storage === undefined) return [];
    const namespaces = new Map(storage.list('namespaces').map((namespace) => [namespace.metadata.name, namespace]));
    return (
      storage
        .resources()
        .flatMap((resource) => storage.list(resource))
        .filter(({ metadata }) => metadata.annotations?.[OWNER_UID_ANNOTATION] === uid)
        // The garbage collector takes what refers to its owner.
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true)
        .filter((child) => !isLeft(child, namespaces))
    );
  }

  #find(oracle: string, message: string): void {
    this.findings.push({ oracle, message, atMs: this.#world?.timeline.nowMs ?? 0 });
  }
}

/** Whether a write is neither of a Lease nor of an Event. */
export function isOfContent({ resource }: StoredEvent): boolean {
  return resource !== LEASES && resource !== EVENTS && resource !== 'events.events.k8s.io';
}

function isToLeave({ spec }: Unstructured): boolean {
  return isRecord(spec) && spec['deletionPolicy'] === 'Orphan';
}

/** Whether another controller has a word in the status of an object. */
function isReported(object: Unstructured): boolean {
  return conditionOf(conditionsOf(object), FOREIGN_CONDITION) !== undefined;
}

/** An object that was held before it was ever looked at has no generation that was observed. */
function statusFaults(object: Unstructured): readonly string[] {
  const faults = conditionFaults(object);
  const isHeld = conditionOf(conditionsOf(object), 'Ready')?.status === 'Unknown';
  return isHeld ? faults.filter((fault) => fault !== 'observedGeneration is missing') : faults;
}
