import { jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { InformerHandler } from '../runtime/informer-handler.ts';
import type { OwnEchoes } from '../runtime/own-echoes.ts';
import type { AddOptions } from '../runtime/work-queue.ts';
import type { Watch } from '../steps/slice.ts';
import type { KeySink } from './shard-gate.ts';

/** Tells to whom a version of an object is no news because its own pass wrote it. */
export type NewsFilter = Pick<OwnEchoes, 'tell' | 'gone'>;

/** Two who write one status and disagree about it take turns at this pace, and no faster. */
const STATUS_LOOK_MS = 5000;

/**
 * Wakes the key of a reconciled object when the object itself changes in a way that a reconcile can act on. What a pass wrote itself is no
 * such change. A status that somebody else wrote is looked at after a while: it may be a write of ours that was given up as lost and has
 * arrived late, and then nothing else would ever tell that it says what is past.
 */
export function wakeOwn(queue: KeySink, type: ResourceType, echoes: NewsFilter): InformerHandler {
  return {
    added: (object, { initial }) =>
      queue.add(keyOf(object), initial ? { priority: 'low', cause: 'Listed' } : { cause: 'Created' }),
    updated: (before, after, { resync, merged }) => {
      if (resync) queue.add(keyOf(after), { priority: 'low', cause: 'Resync' });
      else {
        echoes.tell(type, { object: after, merged }, (writer) => {
          const key = keyOf(after);
          if (isSame(key, writer)) return;
          if (matters(before, after)) queue.add(key, { cause: changeOf(before, after) });
          else if (!jsonEqual(before['status'], after['status'])) {
            queue.addAfter(key, STATUS_LOOK_MS, { priority: 'low', cause: 'Status changed' });
          }
        });
      }
    },
    deleted: (last) => {
      echoes.gone(type, last);
      queue.add(keyOf(last), { cause: 'Gone' });
    },
  };
}

/**
 * Wakes the keys that a watch maps an object to, for the old and the new object alike. The key whose own pass wrote the change is left
 * out; others that look at the same object have yet to hear of it.
 */
export function wakeByWatch(queue: KeySink, watch: Watch, lookup: Lookup, echoes: NewsFilter): InformerHandler {
  const wake = (object: Unstructured, options: AddOptions, writer?: ObjectKey): void => {
    for (const key of watch.toKeys(object, lookup)) if (!isSame(key, writer)) queue.add(key, options);
  };
  const { kind } = watch.type;
  const changed = watch.changed ?? differs;
  return {
    added: (object, { initial, merged }) => {
      const options: AddOptions = initial ? { priority: 'low', cause: `${kind} listed` } : { cause: `${kind} created` };
      echoes.tell(watch.type, { object, merged }, (writer) => wake(object, options, writer));
    },
    updated: (before, after, { resync, replaced, merged }) => {
      // A resync of the owner looks at its children anyway.
      if (resync) return;
      const matters = replaced || changed(before, after);
      echoes.tell(watch.type, { object: after, merged }, (writer) => {
        if (!matters) return;
        wake(before, { cause: `${kind} changed` }, writer);
        wake(after, { cause: `${kind} changed` }, writer);
      });
    },
    deleted: (last) => {
      echoes.gone(watch.type, last);
      wake(last, { cause: `${kind} deleted` });
    },
  };
}

function isSame(key: ObjectKey, writer: ObjectKey | undefined): boolean {
  return writer !== undefined && formatKey(key) === formatKey(writer);
}

/** Generation stands for the spec; of the metadata, what people and controllers set counts. */
function matters(before: Unstructured, after: Unstructured): boolean {
  const [old, now] = [before.metadata, after.metadata];
  return (
    old.uid !== now.uid ||
    old.generation !== now.generation ||
    old.deletionTimestamp !== now.deletionTimestamp ||
    !jsonEqual(old.finalizers, now.finalizers) ||
    !jsonEqual(old.labels, now.labels) ||
    !jsonEqual(old.annotations, now.annotations)
  );
}

function changeOf(before: Unstructured, after: Unstructured): string {
  if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) return 'Deletion requested';
  return before.metadata.generation === after.metadata.generation ? 'Metadata changed' : 'Spec changed';
}

/** Members that change without anybody having changed the object's meaning. */
const ECHO_METADATA: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields']);

function differs(before: Unstructured, after: Unstructured): boolean {
  return !jsonEqual(meaning(before), meaning(after));
}

function meaning(object: Unstructured): unknown {
  const { status: _status, metadata, ...rest } = object;
  const kept = Object.entries(metadata).filter(([name]) => !ECHO_METADATA.has(name));
  return { ...rest, metadata: Object.fromEntries(kept) };
}
