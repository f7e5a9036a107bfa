import type { EventRecorder } from '../base/events.ts';
import { jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { keyOf, refOf, type ResourceType } from '../base/resource.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import type { InformerHandler } from '../runtime/informer-handler.ts';
import type { SharedInformer } from '../runtime/shared-informer.ts';
import type { Kind } from '../sdk/kind.ts';
import type { InformerTable } from './informer-table.ts';
import type { KeySink } from './shard-gate.ts';

/** What is known of maintenance windows: their resource, and how they are read. */
export interface Windows {
  readonly type: ResourceType;
  readonly maintenance: Maintenance;
}

/** The windows of these kinds, if one of them is about windows. */
export function windowsOf(kinds: readonly Kind[]): Windows | undefined {
  for (const { type, maintenance } of kinds) if (maintenance !== undefined) return { type, maintenance };
  return undefined;
}

/**
 * Wakes the objects of a kind when a window changes, or when their namespace gets other labels, by which windows select. Returns the
 * informers that must be complete before windows are asked about.
 */
export function wakeByWindows(
  windows: Windows,
  own: SharedInformer,
  queue: KeySink,
  informers: InformerTable,
): readonly SharedInformer[] {
  const wake = (cause: string, concerns: (object: Unstructured) => boolean = () => true): void => {
    for (const object of own.store.list()) if (concerns(object)) queue.add(keyOf(object), { priority: 'low', cause });
  };
  const { kind } = windows.type;
  const windowInformer = informers.of(windows.type);
  windowInformer.addHandler({
    added: (_window, { initial }) => (initial ? undefined : wake(`${kind} created`)),
    updated: (before, after, { resync }) => {
      if (!resync && !jsonEqual(before['spec'], after['spec'])) wake(`${kind} changed`);
    },
    deleted: () => wake(`${kind} deleted`),
  });
  const namespaceInformer = informers.of(NAMESPACES);
  namespaceInformer.addHandler({
    updated: (before, after) => {
      if (jsonEqual(before.metadata.labels, after.metadata.labels)) return;
      wake('Namespace changed', ({ metadata }) => metadata.namespace === after.metadata.name);
    },
  });
  return [windowInformer, namespaceInformer];
}

/** Tells of windows that cannot be read and are therefore never open. */
export function tellOfBrokenWindows({ maintenance }: Windows, events: EventRecorder): InformerHandler {
  const tell = (window: Unstructured): void => {
    const problem = maintenance.problemOf(window);
    if (problem === undefined) return;
    const regarding = { ...refOf(window), apiVersion: window.apiVersion };
    const note = `The window stays closed: ${problem}`;
    events.record({ regarding, type: 'Warning', reason: 'WindowIgnored', action: 'Evaluate', note });
  };
  return {
    added: tell,
    updated: (before, after) => (jsonEqual(before['spec'], after['spec']) ? undefined : tell(after)),
  };
}
