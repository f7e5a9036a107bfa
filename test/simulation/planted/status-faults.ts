import type { PlantedFault } from './planted-fault.ts';

/** Faults of the status writer and of what it says. */
export const statusFaults: readonly PlantedFault[] = [
  {
    name: 'a status is computed from the cache and written without a precondition',
    edits: [
      {
        file: 'status/status-writer.ts',
        find: 'let base = isCurrent ? intent.object : await this.#live(intent);',
        replace: 'let base: KubeObject | undefined = intent.object;\n    void isCurrent;',
      },
      {
        file: 'status/status-writer.ts',
        find: '{ metadata: { resourceVersion: base.metadata.resourceVersion }, status }',
        replace: '{ status }',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'observedGeneration is not written',
    edits: [
      {
        file: 'status/status-writer.ts',
        find: "...(report.phase === 'suspended' ? {} : { observedGeneration: report.generation }),",
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a status that could not be written is forgotten',
    edits: [
      {
        file: 'status/status-writer.ts',
        find: 'if (!isConflict(error) || tries >= CONFLICT_TRIES) throw error;',
        replace: "if (!isConflict(error) || tries >= CONFLICT_TRIES) return { type: 'gone' };",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: "another controller's conditions are dropped",
    edits: [
      {
        file: 'status/conditions.ts',
        find: 'return [...ours, ...stored.filter((condition) => !drafted.has(condition.type) && !owned.has(condition.type))];',
        replace: 'return ours;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'every pass writes new transition times',
    edits: [
      {
        file: 'status/conditions.ts',
        find: 'before?.status === draft.status ? before.lastTransitionTime : timestamp;',
        replace: 'timestamp;\n    void before;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a deletion that waits still calls the object Ready',
    edits: [
      {
        file: 'status/summary.ts',
        find: "status: deleting ? 'False' : statusWhileHalted(halt),",
        replace: "status: deleting ? 'True' : statusWhileHalted(halt),",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'Ready although a step has failed',
    edits: [
      {
        file: 'status/summary.ts',
        find: "{ type: 'Ready', status: 'False', reason: halt.reason, message, observedGeneration },",
        replace: "{ type: 'Ready', status: 'True', reason: halt.reason, message, observedGeneration },",
      },
    ],
    subjects: ['Environment'],
  },
];
