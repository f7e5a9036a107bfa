import type { PlantedFault } from './planted-fault.ts';

/** Faults of the election, the lease guard and the shards. */
export const leaseFaults: readonly PlantedFault[] = [
  {
    name: 'the lease is released before the work under it has ended',
    edits: [
      {
        file: 'runtime/leader-election.ts',
        find: '    const renewing = this.#renewUntil(ended.signal, lost);',
        replace:
          "    const renewing = this.#renewUntil(ended.signal, lost);\n    stop.addEventListener('abort', () => void this.#release());",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'writes go on after the lease is lost',
    edits: [
      {
        file: 'runtime/lease-guard.ts',
        find: 'if (!this.#lease.isValid()) return Promise.reject(refusal(type));\n    return send(() => {\n      if (!this.#lease.isValid()) throw refusal(type);\n    });',
        replace: 'void refusal(type);\n    return send();',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a lease counts as held until a renewal is refused',
    edits: [
      {
        file: 'runtime/leader-election.ts',
        find: 'return this.#renewedAtMs !== undefined && this.#leftMs() > 0;',
        replace: 'return this.#renewedAtMs !== undefined;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'whether a lease has run out is judged by the times written in it',
    edits: [
      {
        file: 'runtime/lease-lock.ts',
        find: "const { holder, durationSeconds } = readLease(lease);\n    if (holder === '' || holder === this.#options.identity || ",
        replace:
          "const { holder, durationSeconds, renewTime } = readLease(lease);\n    if (this.#options.clock.now() >= Date.parse(renewTime) + durationSeconds * 1000) return true;\n    if (holder === '' || holder === this.#options.identity || ",
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a lease is taken from a holder that has missed one renewal',
    edits: [
      {
        file: 'runtime/lease-lock.ts',
        find: 'return this.#options.clock.monotonic() >= this.#seenAtMs + durationSeconds * 1000;',
        replace: 'return this.#options.clock.monotonic() >= this.#seenAtMs + durationSeconds * 200;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a lease that is lost is never campaigned for again',
    edits: [
      {
        file: 'runtime/leader-election.ts',
        find: 'while (await this.#acquire(stop)) {',
        replace: 'if (await this.#acquire(stop)) {',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a lease is held on to although renewals fail',
    edits: [
      {
        file: 'runtime/leader-election.ts',
        find: 'if (!taken && this.isValid()) continue;',
        replace: 'if (!taken) continue;',
      },
      {
        file: 'runtime/leader-election.ts',
        find: 'return this.#renewedAtMs !== undefined && this.#leftMs() > 0;',
        replace: 'return this.#renewedAtMs !== undefined;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'an instance with nothing to do gives its lease back at once',
    edits: [{ file: 'app/controllers.ts', find: '        fired(ending.signal),\n', replace: '' }],
    subjects: ['MaintenanceWindow'],
  },
  {
    name: 'an object that waits for the lease of its stage is not woken',
    edits: [
      {
        file: 'app/shard-gate.ts',
        find: "() => queue.add(key, { cause: 'Lease changed' })",
        replace: '() => void queue',
      },
      {
        file: 'app/shard-gate.ts',
        find: 'return noop(undefined, { requeueAfterMs: LOOK_AGAIN_MS });',
        replace: 'return noop(undefined);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'an object is not taken over by the instance of its stage',
    edits: [
      {
        file: 'app/shard-gate.ts',
        find: '          return await this.#take(request, object, claim.shard);',
        replace: '          return noop(undefined);',
      },
    ],
    subjects: ['Environment'],
  },
];
