import type { KubeObject } from '../../sdk/index.ts';

/**
 * Whether an object read live is the one that a pass acts for, with the spec it acts by. Every change of the spec, and the wish to delete
 * the object, moves the generation.
 */
export function isSameSpec(live: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return live?.metadata.uid === metadata.uid && live.metadata.generation === metadata.generation;
}
