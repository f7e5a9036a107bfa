import type { PlantedFault } from './planted-fault.ts';

/** Faults of the work queue, the controller and the ledger. */
export const queueFaults: readonly PlantedFault[] = [
  {
    name: 'a key added while in flight is lost',
    edits: [
      {
        file: 'runtime/work-queue.ts',
        find: '    if (entry.dirty) this.#enqueue(text, entry);\n    else this.#entries.delete(text);',
        replace: '    this.#entries.delete(text);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'only the first delayed key is ever due',
    edits: [
      {
        file: 'runtime/delay-queue.ts',
        find: '      if (due !== undefined) this.#onDue(due);\n    }\n    this.#arm();',
        replace: '      if (due !== undefined) this.#onDue(due);\n    }',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'requeueAfter is ignored',
    edits: [
      {
        file: 'runtime/settle.ts',
        find: "      queue.addAfter(key, outcome.requeueAfterMs, { priority, cause: 'requeue' });\n",
        replace: '',
      },
    ],
    subjects: ['Environment', 'VaultPolicy'],
  },
  {
    name: 'a failed pass is not tried again',
    edits: [
      {
        file: 'runtime/settle.ts',
        find: '      queue.retry(key, {',
        replace: '      if (outcome.silent !== true) return queue.forget(key), "error";\n      queue.retry(key, {',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a terminal outcome is never tried again',
    edits: [
      {
        file: 'runtime/settle.ts',
        find: "      queue.addAfter(key, TERMINAL_RETRY_MS * between(random, 0.9, 1.1), { priority, cause: 'retry' });\n",
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a pass that was cut off is not taken up again',
    edits: [
      {
        file: 'runtime/controller.ts',
        find: "      queue.add(item.key, { priority: item.priority, cause: 'stopped' });\n      log.debug('Reconcile cut off'",
        replace: "      log.debug('Reconcile cut off'",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a key held back for a stale cache does not come back',
    edits: [
      {
        file: 'runtime/controller.ts',
        find: '      queue.add(item.key, { priority: item.priority, cause: item.causes });',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the ledger holds nothing back',
    edits: [
      {
        file: 'runtime/write-ledger.ts',
        find: 'return this.#ownWrites(owner) ?? this.#doubted();',
        replace: 'void this.#ownWrites(owner);\n    return void this.#doubted();',
      },
    ],
    subjects: ['Environment', 'DatabaseBackup', 'VaultPolicy'],
  },
  {
    name: 'the ledger never lets go of a cache that stays behind',
    edits: [
      {
        file: 'runtime/write-ledger.ts',
        find: 'return (compareResourceVersions(store.resourceVersion, resourceVersion) ?? 0) < 0;',
        replace: 'return (compareResourceVersions(store.resourceVersion, resourceVersion) ?? 0) <= 0;',
      },
      {
        file: 'runtime/write-ledger.ts',
        find: 'const FAIL_OPEN_MS = 10_000;',
        replace: 'const FAIL_OPEN_MS = Number.POSITIVE_INFINITY;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'every event while a write is under way is taken for its echo',
    edits: [
      {
        file: 'runtime/own-echoes.ts',
        find: 'if (account.inFlight === 0) for (const held of account.held.splice(0)) this.#release(held);',
        replace: 'if (account.inFlight === 0) account.held.splice(0);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a write that failed is waited for',
    edits: [
      {
        file: 'runtime/own-echoes.ts',
        find: '    return (resourceVersion) => {\n',
        replace: '    return (resourceVersion) => {\n      if (resourceVersion === undefined) return;\n',
      },
    ],
    subjects: ['Environment'],
  },
];
