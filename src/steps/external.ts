import { invariant } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import { done, noop, type Outcome, terminal, transient } from '../base/outcome.ts';
import { keyOf, type ResourceType } from '../base/resource.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { ObserveContext, Step, StepContext } from './step.ts';

/** What an outside system says about an effect that may or may not have happened. */
export type Found =
  | { readonly type: 'found'; readonly id: string }
  | { readonly type: 'absent' }
  /** It cannot be told: asking again would not help, and creating again might do it twice. */
  | { readonly type: 'unknown' };

/** An effect outside the cluster that must not happen twice. */
export interface ExternalOptions<K extends KubeObject, Needs extends object> {
  readonly name: string;
  readonly condition: string;
  /** The reconciled resource: its annotation records how far the effect came. */
  readonly type: ResourceType;
  /** Names the effect for the outside system, without blanks. Another key is another effect. */
  readonly key: (context: StepContext<K, Needs>) => string;
  /** Brings the effect about and resolves with what names it from then on, without blanks. Called after the intent is recorded. */
  readonly create: (context: StepContext<K, Needs>, key: string) => Promise<string>;
  /** Asked when an intent is found whose outcome is not recorded. */
  readonly find: (context: StepContext<K, Needs>, key: string) => Promise<Found>;
  /** Undoes the effect; `id` is absent where it was never recorded. */
  readonly remove?: (context: ObserveContext<K>, id: string | undefined) => Promise<Outcome>;
}

/** What the later steps get of an external effect. */
export interface ExternalEffect {
  readonly externalId: string;
}

/** Start of the annotation that holds the record; the step's name follows. */
const RECORD_PREFIX = 'external.homeostat.io/';

/**
 * Makes a step of a call that is not idempotent. The intent is recorded on the object, under its resourceVersion, before the call, and
 * the answer after it. Killed in between, the outside system is asked; where it cannot tell, the step ends with
 * `CreateOutcomeUnknown` and leaves the decision to a person.
 */
export function external<K extends KubeObject, Needs extends object>(
  options: ExternalOptions<K, Needs>,
): Step<K, Needs, ExternalEffect> {
  const { name, condition, type, remove } = options;
  return {
    name,
    condition,
    touches: [{ type, verbs: ['get', 'patch'] }],
    apply: (context) => apply(options, context),
    ...(remove === undefined
      ? {}
      : { remove: (context: ObserveContext<K>) => remove(context, recordOf(context.object, name)?.id) }),
  };
}

async function apply<K extends KubeObject, Needs extends object>(
  options: ExternalOptions<K, Needs>,
  context: StepContext<K, Needs>,
): Promise<Outcome<ExternalEffect>> {
  const { name, type, find, create } = options;
  const { api, object, signal } = context;
  const key = options.key(context);
  invariant(/^\S+$/.test(key), `the key of step "${name}" is one word`);
  const known = recordOf(object, name);
  if (known?.key === key && known.id !== undefined) return noop({ externalId: known.id });
  // The cache may not have seen the intent of the process before: the object itself says.
  const live = await api.client.get(type, keyOf(object), { signal });
  if (live.metadata.uid !== object.metadata.uid) {
    return transient(ENGINE_REASONS.retrying, 'The object was made anew meanwhile', { silent: true });
  }
  const record = recordOf(live, name);
  if (record?.key === key && record.id !== undefined) return noop({ externalId: record.id });
  const intended = record?.key === key ? live : await write(options, context, live, key);
  const found = intended === live ? await find(context, key) : ({ type: 'absent' } as const);
  if (found.type === 'unknown') return outcomeUnknown(name, key);
  const externalId = found.type === 'found' ? found.id : await create(context, key);
  invariant(/^\S+$/.test(externalId), `the identity that step "${name}" gives is one word`);
  await write(options, context, intended, `${key} ${externalId}`);
  return done({ externalId }, { wrote: `${name} ${key}` });
}

/** Records on the very version that was read: another process that does the same loses the race. */
async function write<K extends KubeObject, Needs extends object>(
  { name, type }: ExternalOptions<K, Needs>,
  { api, signal }: StepContext<K, Needs>,
  live: KubeObject,
  record: string,
): Promise<KubeObject> {
  const { resourceVersion } = live.metadata;
  const body = { metadata: { resourceVersion, annotations: { [`${RECORD_PREFIX}${name}`]: record } } };
  return api.client.patch(type, keyOf(live), { type: 'merge', body }, { signal });
}

function recordOf(object: KubeObject, name: string): { readonly key: string; readonly id?: string } | undefined {
  const record = object.metadata.annotations?.[`${RECORD_PREFIX}${name}`];
  if (record === undefined) return undefined;
  const [key = '', id] = record.split(' ');
  return id === undefined ? { key } : { key, id };
}

function outcomeUnknown(name: string, key: string): Outcome<ExternalEffect> {
  const annotation = `${RECORD_PREFIX}${name}`;
  return terminal(
    ENGINE_REASONS.createOutcomeUnknown,
    `Whether "${key}" was created cannot be told. If it was, set the annotation ${annotation} to "${key} ID"; ` +
      'if it was not, remove the annotation, and it is created again',
  );
}
