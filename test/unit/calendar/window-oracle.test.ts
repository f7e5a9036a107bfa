import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSchedule } from '../../../src/calendar/schedule.ts';
import { windowStateAt } from '../../../src/calendar/window.ts';
import { type OracleWindow, openMinutes, readStretch } from './window-oracle.ts';

const MINUTE_MS = 60_000;
const WINDOWS = 1000;

/** Stretches of time with a change of offset in them, long and short ones, and some without. */
const STRETCHES = [
  ['Europe/Berlin', '2026-03-25T00:00:00Z'],
  ['Europe/Berlin', '2026-10-21T00:00:00Z'],
  ['Europe/London', '2026-10-21T00:00:00Z'],
  ['America/New_York', '2026-03-04T00:00:00Z'],
  ['America/Sao_Paulo', '2018-11-01T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-01T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-01T00:00:00Z'],
  ['Antarctica/Troll', '2026-03-25T00:00:00Z'],
  ['Pacific/Apia', '2011-12-26T00:00:00Z'],
  ['Asia/Kathmandu', '2026-02-25T00:00:00Z'],
  ['Africa/Casablanca', '2026-02-11T00:00:00Z'],
  ['Etc/UTC', '2028-02-25T00:00:00Z'],
] as const;

/** Days of a stretch, and days before it in which a window may have opened. */
const DAYS = 8;
const BEFORE = 4;

const stretches = STRETCHES.map(([timeZone, from]) =>
  readStretch(timeZone, Date.parse(from) - BEFORE * 1440 * MINUTE_MS, (DAYS + BEFORE) * 1440),
);

const field = (min: number, max: number, star: number): fc.Arbitrary<readonly number[] | undefined> =>
  fc.oneof(
    { weight: star, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }) },
  );

const windows: fc.Arbitrary<OracleWindow & { readonly stretch: number }> = fc.record({
  stretch: fc.nat({ max: stretches.length - 1 }),
  fields: fc.tuple(field(0, 59, 1), field(0, 23, 2), field(1, 31, 5), field(1, 12, 12), field(0, 6, 4)),
  durationMinutes: fc.oneof(fc.integer({ min: 5, max: 300 }), fc.integer({ min: 5, max: BEFORE * 1440 })),
});

test(`${WINDOWS} random windows are open exactly when a walk through all minutes finds them open`, () => {
  let open = 0;
  fc.assert(
    fc.property(windows, ({ stretch, fields, durationMinutes }) => {
      const chosen = stretches[stretch] ?? assert.fail();
      const { timeZone, startMs, minutes } = chosen;
      const expected = openMinutes({ fields, durationMinutes }, chosen);
      const text = fields.map((values) => values?.join(',') ?? '*').join(' ');
      const window = {
        type: 'recurring',
        schedule: readSchedule({ schedule: text, timeZone }),
        durationMs: durationMinutes * MINUTE_MS,
      } as const;
      for (let minute = BEFORE * 1440; minute < minutes; ) {
        const nowMs = startMs + minute * MINUTE_MS;
        const { isOpen, untilMs = Number.POSITIVE_INFINITY } = windowStateAt(window, nowMs);
        // What one answer covers is checked minute by minute, then the next answer is asked for: a boundary cannot be off by one.
        const end = Math.min(minutes, (untilMs - startMs) / MINUTE_MS);
        for (; minute < end; minute++) {
          if (expected[minute] === isOpen) continue;
          assert.fail(
            `${text} ${timeZone} ${durationMinutes} min at ${new Date(startMs + minute * MINUTE_MS).toISOString()}`,
          );
        }
        if (isOpen) open++;
      }
    }),
    { numRuns: WINDOWS, seed: 8 },
  );
  assert.ok(open > WINDOWS, `only ${open} openings were seen`);
});
