import { stringify } from 'yaml';

/** YAML text of objects, one document each. The same objects give the same bytes. */
export function toYaml(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}
