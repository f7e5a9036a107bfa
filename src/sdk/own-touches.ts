import type { ResourceType } from '../base/resource.ts';
import type { Touch } from '../base/touch.ts';
import type { Pipeline } from '../steps/pipeline.ts';

/** Rights on the kind itself that the engines need, and what its steps say they touch. */
export function ownTouches(type: ResourceType, pipeline: Pipeline | undefined): readonly Touch[] {
  const reading: Touch = { type, verbs: ['get', 'list', 'watch'] };
  if (pipeline === undefined) return [reading];
  return [
    reading,
    { type, subresource: 'status', verbs: ['patch'] },
    ...(pipeline.finalizer === undefined ? [] : [{ type, verbs: ['patch'] } satisfies Touch]),
    ...pipeline.steps.flatMap((step) => step.touches ?? []),
  ];
}
