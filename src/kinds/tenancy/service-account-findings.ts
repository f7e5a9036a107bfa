import { annotationFindings, type FieldPath, type Finding, forbidden, labelFindings } from '../../sdk/index.ts';
import type { ServiceAccountItem } from './service-account-schema.ts';

/** Marks of the engine and of tools that would take a child for their own. */
const FOREIGN_PREFIXES = ['homeostat.io/', 'argocd.argoproj.io/', 'kubectl.kubernetes.io/'] as const;
const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** What the API server would refuse in the metadata of an account, and keys that belong to somebody else. */
export function* serviceAccountFindings(item: ServiceAccountItem, path: FieldPath): Generator<Finding> {
  const { labels = {}, annotations = {} } = item;
  yield* labelFindings([...path, 'labels'], labels);
  yield* annotationFindings([...path, 'annotations'], annotations);
  for (const [member, keys] of [
    ['labels', Object.keys(labels)],
    ['annotations', Object.keys(annotations)],
  ] as const) {
    for (const key of keys) {
      if (key === MANAGED_BY || FOREIGN_PREFIXES.some((prefix) => key.startsWith(prefix))) {
        yield forbidden([...path, member, { key }], `"${key}" belongs to a tool`);
      }
    }
  }
}
