import type { NamespaceObject } from './owned-namespace.ts';

/** Conditions a namespace has only while it is being deleted and something is in the way (core/v1 NamespaceConditionType). */
const OBSTACLES: ReadonlySet<string> = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceFinalizersRemaining',
]);

/** What keeps a namespace from going, in its own words; empty while nothing does. */
export function deletionObstacles(namespace: NamespaceObject): readonly string[] {
  const conditions = namespace.status?.conditions ?? [];
  return conditions
    .filter((condition) => OBSTACLES.has(condition.type) && condition.status === 'True')
    .map((condition) => `${condition.type}: ${condition.message ?? ''}`);
}

/** Says that a namespace is being deleted, and what keeps it. */
export function deletionMessage(namespace: NamespaceObject): string {
  const obstacles = deletionObstacles(namespace);
  const { name } = namespace.metadata;
  if (obstacles.length === 0) return `Namespace "${name}" is being deleted`;
  return `Namespace "${name}" is being deleted and cannot go: ${obstacles.join('; ')}`;
}
