import type { PlantedFault } from './planted-fault.ts';

/** Faults of the step engine: finalizers, children, ownership, what a failure comes to. */
export const engineFaults: readonly PlantedFault[] = [
  {
    name: 'the finalizer is removed before what it protects',
    edits: [
      {
        file: 'steps/remove-pass.ts',
        find: 'for (const [index, step] of [...pass.pipeline.steps.entries()].toReversed()) {',
        replace:
          'await dropFinalizer(pass, pass.cached, finalizer.name);\n  for (const [index, step] of [...pass.pipeline.steps.entries()].toReversed()) {',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a removal that waits counts as done',
    edits: [
      {
        file: 'steps/remove-pass.ts',
        find: "    if (passed(outcome)) {\n      if (outcome.type === 'done')",
        replace: "    if (passed(outcome) || outcome.type === 'waiting') {\n      if (outcome.type === 'done')",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'no finalizer is put on',
    edits: [
      {
        file: 'steps/finalizer.ts',
        find: 'const missing = !finalizers.includes(name);',
        replace: 'const missing = false;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the finalizer is put on after the first steps have written',
    edits: [
      {
        file: 'steps/apply-pass.ts',
        find: 'if (await this.#ensureFinalizer()) {',
        replace: 'if (conditionsOf(this.#pass.cached).length === 0 || (await this.#ensureFinalizer())) {',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a finalizer that the spec needs no longer stays',
    edits: [
      {
        file: 'steps/finalizer.ts',
        find: 'if (!finalizers.includes(name)) return noop({ object: cached }, word);',
        replace: 'if (!finalizers.includes(name) || finalizers.length > 0) return noop({ object: cached }, word);',
      },
    ],
    subjects: ['DatabaseBackup'],
  },
  {
    name: 'a deletionTimestamp is ignored',
    edits: [
      {
        file: 'steps/reconciler.ts',
        find: 'if (cached.metadata.deletionTimestamp !== undefined) return await this.#remove(pass);',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the annotation to suspend is ignored',
    edits: [
      {
        file: 'steps/reconciler.ts',
        find: "if (cached.metadata.annotations?.[SUSPEND_ANNOTATION] === 'true') return await this.#suspend(pass);",
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'an object made anew is taken for the one of that name before',
    edits: [
      {
        file: 'steps/key-memory.ts',
        find: 'if (replaced) this.forget(key);',
        replace: '',
      },
      {
        file: 'steps/key-memory.ts',
        find: '    this.#uids.delete(key);\n    this.#released.delete(key);',
        replace: '    this.#uids.delete(key);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a child that is not desired any more stays',
    edits: [
      {
        file: 'steps/children.ts',
        find: '({ metadata }) => !wanted.has(metadata.name) && metadata.deletionTimestamp === undefined,',
        replace: '({ metadata }) => wanted.size === 0 && metadata.deletionTimestamp === undefined,',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a field that is not desired any more stays',
    edits: [
      {
        file: 'steps/child-drift.ts',
        find: 'const superfluous = owned === undefined ? [] : superfluousFields(owned, desired, live);',
        replace: 'const superfluous: readonly Difference[] = [];\n  void superfluousFields;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'drift of a value is not seen',
    edits: [
      {
        file: 'steps/child-drift.ts',
        find: 'const values = [...differences(desired, live, options.comparison, owned)];',
        replace:
          'const values = [...differences(desired, live, options.comparison, owned)].filter(({ have }) => have === undefined);',
      },
      {
        file: 'steps/child-drift.ts',
        find: 'const unowned = owned === undefined ? [] : unownedFields(owned, desired, live);',
        replace: 'const unowned: readonly Difference[] = [];\n  void unownedFields;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'equal quantities in other words are taken for a difference',
    edits: [
      {
        file: 'steps/compare.ts',
        find: 'scope.comparison.quantities(place) ? sameQuantity(want, have) : jsonEqual(want, have)',
        replace: 'jsonEqual(want, have)',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'what cannot be changed in place is sent all the same',
    edits: [
      {
        file: 'steps/child.ts',
        find: 'return this.#isImmutable(deviation)\n      ? this.#replace(merged, { intent, deviation, drift })\n      : this.#send(',
        replace: 'return this.#send(',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a child that is there and not ours is applied over',
    edits: [
      {
        file: 'steps/child.ts',
        find: 'return isOwnedBy(live, this.#context.owner) ? this.#update(desired, live) : this.#conflict(live);',
        replace: 'return this.#update(desired, live);',
      },
    ],
    subjects: ['DatabaseBackup', 'Environment'],
  },
  {
    name: 'what the cache does not hold is made without a look at the server',
    edits: [
      {
        file: 'steps/child.ts',
        find: 'const live = cached === undefined && this.#set.fresh ? undefined : await this.#read();\n    if (live === undefined) return this.#create(desired);',
        replace:
          'const live = undefined as Unstructured | undefined;\n    if (live === undefined) return this.#create(desired);',
      },
    ],
    subjects: ['DatabaseBackup', 'Environment'],
  },
  {
    name: 'everything of the right name is taken for ours',
    edits: [
      {
        file: 'steps/ownership.ts',
        find: 'return named?.kind === owner.kind && formatKey(named) === formatKey(keyOf(owner));',
        replace: 'void named;\n  return true;',
      },
    ],
    subjects: ['DatabaseBackup', 'Environment'],
  },
  {
    name: 'a child is deleted without its uid',
    edits: [
      {
        file: 'steps/child.ts',
        find: '{ uid: live.metadata.uid, signal });\n      return',
        replace: '{ signal });\n      return',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a lost race counts as success',
    edits: [
      {
        file: 'steps/run-step.ts',
        find: '    const halt = classify(error, pass.request.signal);\n    if (halt.reason',
        replace:
          "    const halt = classify(error, pass.request.signal);\n    if (halt.type === 'transient' && halt.silent === true) return { type: 'noop', value: {} as Value };\n    if (halt.reason",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a missing right is never asked for again',
    edits: [
      {
        file: 'steps/classify.ts',
        find: 'return waiting(forbidden, message, { requeueAfterMs: FORBIDDEN_RECHECK_MS, event: forbidden });',
        replace: 'return waiting(forbidden, message, { event: forbidden });',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'what the API server could not do is tried again after a day',
    edits: [
      {
        file: 'steps/classify.ts',
        find: 'return transient(ENGINE_REASONS.apiUnavailable, message, { cause, ...retryAfter });',
        replace:
          'void [cause, retryAfter];\n    return waiting(ENGINE_REASONS.apiUnavailable, message, { requeueAfterMs: 86_400_000 });',
      },
    ],
    subjects: ['Environment'],
  },
];
