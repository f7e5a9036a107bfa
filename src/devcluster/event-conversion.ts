import type { Unstructured } from '../base/object.ts';

/** Member names of core/v1 Event beside those of events.k8s.io/v1; both groups read and write the same objects. */
const NAMES = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const;

/** Members both spellings write even when they are empty. */
const SHOWN = { involvedObject: {}, source: {}, firstTimestamp: null, lastTimestamp: null, eventTime: null };
const ALWAYS_TEXT = { reportingComponent: '', reportingInstance: '' };

/** An Event as core/v1 spells it, which is also how it is stored. */
export function toCoreEvent(event: Unstructured): Unstructured {
  const renamed = rename(
    event,
    NAMES.map(([core, grouped]) => [grouped, core]),
  );
  return { ...SHOWN, ...ALWAYS_TEXT, ...renamed, apiVersion: 'v1' };
}

/** A stored Event as events.k8s.io/v1 spells it. */
export function toGroupedEvent(event: Unstructured): Unstructured {
  return { ...rename(event, NAMES), apiVersion: 'events.k8s.io/v1' };
}

function rename(event: Unstructured, names: readonly (readonly [from: string, to: string])[]): Unstructured {
  const to = new Map(names);
  const { apiVersion, kind, metadata, ...members } = event;
  const renamed = Object.entries(members).map(([name, value]) => [to.get(name) ?? name, value] as const);
  return { apiVersion, kind, metadata, ...Object.fromEntries(renamed) };
}
