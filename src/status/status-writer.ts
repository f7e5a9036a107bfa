import { type Clock, toTimestamp } from '../base/clock.ts';
import { canonicalJson, isRecord, type Json, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { Condition, KubeObject } from '../base/object.ts';
import { formatKey, keyOf, type ResourceType } from '../base/resource.ts';
import { isConflict, isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import { conditionsOf, mergeConditions, observedGenerationOf, statusOf } from './conditions.ts';
import { mergePatchTo } from './merge-patch.ts';
import { appendHistory } from './pass-history.ts';
import type { PassReport } from './pass-report.ts';
import { SUMMARY_CONDITIONS, summarise } from './summary.ts';
import { UndeclaredMembers } from './undeclared-members.ts';
import { conditionsWrittenBy } from './written-conditions.ts';

/** One status to be written. */
export interface StatusIntent {
  readonly type: ResourceType;
  /** The object as the cache or the last write of this pass shows it. */
  readonly object: KubeObject;
  /** `object` is the API server's answer to a write of this very pass: as good as a live read. @defaultValue false */
  readonly isAnswer?: boolean;
  readonly report: PassReport;
  /** Members of the status beyond the engine's own; `null` removes one, an absent one keeps its stored value. */
  readonly fields?: JsonObject;
  /** Appended to the history if this status is written anyway. */
  readonly history?: { readonly outcome: string; readonly trigger: string };
  readonly fieldManager: string;
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** What became of the intent. `before` and `after` are what the API server holds, so events follow visible change alone. */
export type StatusWritten =
  | { readonly type: 'unchanged' }
  | { readonly type: 'gone' }
  | {
      readonly type: 'written';
      readonly before: readonly Condition[];
      readonly after: readonly Condition[];
      readonly object: KubeObject;
    };

/** Lost races that one write takes before it leaves the key to the queue. */
const CONFLICT_TRIES = 5;

/** The last status the API server confirmed for one object. */
interface Acknowledged {
  readonly resourceVersion: string;
  /** What was sent, in canonical form. */
  readonly sent: string;
  /** What the server stored of it, in canonical form. */
  readonly stored: string;
}

/**
 * Writes statuses, one request for each visible change and none otherwise.
 *
 * A status is computed from what the API server itself has said last, which is a live read or the answer to a write of this
 * pass, and patched under its resourceVersion: a cache that lags behind could carry an older condition over a newer one. The first
 * status of an object needs no read, since there is nothing to carry over. A status that equals the cached one, or that the API server has already answered by dropping a part of it, is not sent.
 */
export class StatusWriter {
  readonly #clock: Clock;
  readonly #acknowledged = new Map<string, Acknowledged>();
  readonly #undeclared = new UndeclaredMembers();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects with what the client rejects with, a conflict only after five lost races. */
  async write(intent: StatusIntent): Promise<StatusWritten> {
    const cached = this.#desired(intent, intent.object);
    if (cached === undefined) return { type: 'unchanged' };
    if (this.#isSettled(intent, cached) && !this.#mayHoldRetired(intent)) return { type: 'unchanged' };
    const isCurrent = intent.isAnswer === true || statusOf(intent.object) === undefined;
    let base = isCurrent ? intent.object : await this.#live(intent);
    for (let tries = 1; ; tries++) {
      if (base === undefined) return { type: 'gone' };
      try {
        return await this.#patch(intent, base);
      } catch (error) {
        if (isNotFound(error)) return { type: 'gone' };
        if (this.#undeclared.learn(intent, error)) continue;
        if (!isConflict(error) || tries >= CONFLICT_TRIES) throw error;
        base = await this.#live(intent);
      }
    }
  }

  /** Drops what is remembered of an object that is gone. */
  forget(type: ResourceType, key: { readonly namespace?: string; readonly name: string }): void {
    this.#acknowledged.delete(recordKey(type, key));
  }

  /** The members to store, or `undefined` where the pass leaves no trace or a newer pass has already spoken. */
  #desired(intent: StatusIntent, base: KubeObject): JsonObject | undefined {
    const { report } = intent;
    const observedGeneration = observedGenerationOf(base);
    // A restored status can tell of a generation that this object has never come to: nobody has spoken of that one.
    const { generation = report.generation } = base.metadata;
    const spokenOf = observedGeneration === undefined || observedGeneration > generation ? 0 : observedGeneration;
    if (spokenOf > report.generation) return undefined;
    const stored = conditionsOf(base);
    const summary = summarise(report, {
      conditions: stored,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    });
    if (summary === undefined) return undefined;
    // Of what this manager wrote, nothing else has a meaning any more: an earlier version had other types.
    const owned = new Set([...typesOf(report), ...conditionsWrittenBy(base, intent.fieldManager)]);
    const conditions = mergeConditions(stored, summary.conditions, owned, toTimestamp(this.#clock.now()));
    return {
      ...intent.fields,
      ...(report.phase === 'suspended' ? {} : { observedGeneration: report.generation }),
      step: summary.step,
      conditions: conditions.map((condition) => ({ ...condition })),
    };
  }

  #isSettled(intent: StatusIntent, desired: JsonObject): boolean {
    const record = this.#acknowledged.get(recordKey(intent.type, keyOf(intent.object)));
    const status = statusOf(intent.object);
    if (record !== undefined && isOlder(intent.object.metadata.resourceVersion, record.resourceVersion)) return false;
    if (mergePatchTo(status, desired) === undefined) return true;
    return record !== undefined && record.sent === withoutTimes(desired) && record.stored === canonicalJson(status);
  }

  /**
   * Whether a condition that no step of today reports may be an earlier version's: a cache does not tell who wrote it, so the object is
   * read once after a start.
   */
  #mayHoldRetired({ type, object, report }: StatusIntent): boolean {
    if (this.#acknowledged.has(recordKey(type, keyOf(object)))) return false;
    const known = typesOf(report);
    return conditionsOf(object).some((condition) => !known.has(condition.type));
  }

  async #live(intent: StatusIntent): Promise<KubeObject | undefined> {
    const live = await findObject(intent.client, intent.type, keyOf(intent.object), { signal: intent.signal });
    return live?.metadata.uid === intent.object.metadata.uid ? live : undefined;
  }

  #acknowledge({ type }: StatusIntent, desired: JsonObject, object: KubeObject): void {
    this.#acknowledged.set(recordKey(type, keyOf(object)), {
      resourceVersion: object.metadata.resourceVersion,
      sent: withoutTimes(desired),
      stored: canonicalJson(statusOf(object)),
    });
  }

  async #patch(intent: StatusIntent, base: KubeObject): Promise<StatusWritten> {
    const desired = this.#desired(intent, base);
    const change = desired === undefined ? undefined : mergePatchTo(statusOf(base), desired);
    if (desired === undefined) return { type: 'unchanged' };
    if (change === undefined) {
      this.#acknowledge(intent, desired, base);
      return { type: 'unchanged' };
    }
    const timestamp = toTimestamp(this.#clock.now());
    const history =
      intent.history === undefined
        ? {}
        : {
            reconcileHistory: appendHistory(statusOf(base), {
              generation: intent.report.generation,
              ...intent.history,
              time: timestamp,
            }),
          };
    const { type, client, signal, fieldManager } = intent;
    const status = this.#undeclared.without(type, { ...change, ...history });
    if (Object.keys(status).length === 0) return { type: 'unchanged' };
    // The resourceVersion is the one precondition: a status subresource ignores a uid.
    const body: JsonObject = { metadata: { resourceVersion: base.metadata.resourceVersion }, status };
    const options = { signal, fieldManager, subresource: 'status' } as const;
    const object = await client.patch(type, keyOf(base), { type: 'merge', body }, options);
    this.#acknowledge(intent, desired, object);
    return { type: 'written', before: conditionsOf(base), after: conditionsOf(object), object };
  }
}

/** Condition types that a pass speaks for. */
function typesOf({ owned, links }: PassReport): ReadonlySet<string> {
  return new Set([...SUMMARY_CONDITIONS, ...owned, ...links.map((link) => link.condition)]);
}

function isOlder(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) < 0;
}

/** The canonical form of a status without transition times, which are computed from what is stored. */
function withoutTimes(status: JsonObject): string {
  const conditions = status['conditions'];
  if (!Array.isArray(conditions)) return canonicalJson(status);
  return canonicalJson({ ...status, conditions: conditions.map(dropTime) });
}

function dropTime(condition: Json): Json {
  if (!isRecord(condition)) return condition;
  const { lastTransitionTime: _time, ...rest } = condition;
  return rest;
}

function recordKey(type: ResourceType, key: { readonly namespace?: string; readonly name: string }): string {
  return `${type.group}/${type.plural}/${formatKey(key)}`;
}
