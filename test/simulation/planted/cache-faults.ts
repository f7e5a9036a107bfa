import type { PlantedFault } from './planted-fault.ts';

/** Faults of the reflector, the FIFO, the store and the handlers behind them. */
export const cacheFaults: readonly PlantedFault[] = [
  {
    name: 'a version that has expired is asked for again and again',
    edits: [
      {
        file: 'runtime/reflector.ts',
        find: "new Set(['unanswered', 'throttled', 'unauthenticated', 'untrusted']);",
        replace: "new Set(['unanswered', 'throttled', 'unauthenticated', 'untrusted', 'expired']);",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a watch that ended is opened without the last version',
    edits: [
      {
        file: 'runtime/reflector.ts',
        find: 'const from = this.#progress.lastVersion;',
        replace: "const from = '';",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a watch that ended is not opened again',
    edits: [
      {
        file: 'runtime/reflector.ts',
        find: 'const from = this.#progress.lastVersion;',
        replace: 'await sleep(this.#options.clock, 3_600_000, signal);\n      const from = this.#progress.lastVersion;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a relist tells of no change',
    edits: [
      {
        file: 'runtime/shared-informer.ts',
        find: 'else this.#tellUpdated(before, object, true);\n      yield;',
        replace: 'yield;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a relist tells of no deletion',
    edits: [
      {
        file: 'runtime/shared-informer.ts',
        find: 'if (contents.get(formatKey(keyOf(before))) === undefined) this.#tellDeleted(before, true);',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a relist keeps what is gone',
    edits: [
      {
        file: 'runtime/store.ts',
        find: '    const before = this.#contents;\n    this.#contents = contents;',
        replace:
          '    const before = this.#contents;\n    for (const object of before.objects()) if (contents.get(formatKey(keyOf(object))) === undefined) contents.put(object);\n    this.#contents = contents;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the version moves on before its event is in the store',
    edits: [
      {
        file: 'runtime/shared-informer.ts',
        find: "upserted: (object) => this.#fifo.push({ type: 'upserted', upsert: this.#pending.add(object) }),",
        replace:
          "upserted: (object) => {\n        this.#store.bookmark(object.metadata.resourceVersion);\n        this.#options.clock.setTimer(500, () => this.#fifo.push({ type: 'upserted', upsert: this.#pending.add(object) }));\n      },",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'an index keeps what is gone',
    edits: [
      {
        file: 'runtime/store-contents.ts',
        find: '    this.#unindex(key, before);\n    this.#objects.delete(key);',
        replace: '    this.#objects.delete(key);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the deletion of a child wakes nobody',
    edits: [
      {
        file: 'app/wake-ups.ts',
        find: '      wake(last, { cause: `${kind} deleted` });\n',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a change of a child wakes nobody',
    edits: [
      {
        file: 'app/wake-ups.ts',
        find: '        wake(after, { cause: `${kind} changed` }, writer);\n',
        replace: '',
      },
      {
        file: 'app/wake-ups.ts',
        find: '        wake(before, { cause: `${kind} changed` }, writer);\n',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a child that lost its labels is not missed',
    edits: [
      {
        file: 'app/wake-ups.ts',
        find: '        wake(before, { cause: `${kind} changed` }, writer);\n',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a change of an annotation wakes nobody',
    edits: [
      {
        file: 'app/wake-ups.ts',
        find: '    !jsonEqual(old.labels, now.labels) ||\n    !jsonEqual(old.annotations, now.annotations)',
        replace: '    !jsonEqual(old.labels, now.labels)',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a changed window wakes nobody',
    edits: [
      {
        file: 'app/maintenance.ts',
        find: "if (!resync && !jsonEqual(before['spec'], after['spec'])) wake(`${kind} changed`);",
        replace: 'void [before, after, resync];',
      },
    ],
    subjects: ['Environment'],
  },
];
