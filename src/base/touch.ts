import type { ResourceType } from './resource.ts';

/** RBAC verbs this project uses. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'bind';

/** What a step or a kind does at the API server. RBAC is rendered from the touches and nothing else. */
export interface Touch {
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly subresource?: string;
  readonly verbs: readonly Verb[];
  /** Limits the rule to these objects. */
  readonly resourceNames?: readonly string[];
}
