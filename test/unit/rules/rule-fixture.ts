import type { KubeObject } from '../../../src/base/object.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import type { RuleContext } from '../../../src/rules/rule.ts';

/** An object with a spec of any shape. */
export interface Widget extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

export function widget(spec: Readonly<Record<string, unknown>>): Widget {
  return {
    apiVersion: 'x/v1',
    kind: 'Widget',
    metadata: { name: 'w', uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '2020-01-01T00:00:00Z' },
    spec,
  };
}

/** A context whose caches have not synced. */
export const context: RuleContext = {
  operatorNamespace: 'homeostat-system',
  lookup: {
    get: (type) => {
      throw new CacheNotSynced(type);
    },
    byIndex: (type) => {
      throw new CacheNotSynced(type);
    },
  },
};
