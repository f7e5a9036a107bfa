import type { Unstructured } from '../../src/base/object.ts';

/** Whether a list of the memory API holds an object. Of selectors, labels and their values are known. */
export function isSelected({ metadata }: Unstructured, namespace: string, labelSelector: string | undefined): boolean {
  if (namespace !== '' && metadata.namespace !== namespace) return false;
  return (labelSelector?.split(',') ?? []).every((requirement) => {
    const [label = '', value, ...more] = requirement.split('=');
    if (value === undefined || more.length > 0) throw new Error(`The memory API does not know ${requirement}`);
    return metadata.labels?.[label] === value;
  });
}
