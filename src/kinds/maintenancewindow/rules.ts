import {
  type CelTwin,
  type FieldPath,
  type Finding,
  invalid,
  readEvery,
  readSchedule,
  type Rule,
  ScheduleInvalid,
  spacingOf,
  stateRule,
} from '../../sdk/index.ts';
import { labelSelectorFindings } from '../tenancy/label-selector-findings.ts';
import { scheduleFindings } from '../tenancy/schedule-findings.ts';
import type { MaintenanceWindow } from './schema.ts';

const ONE_OF_MESSAGE = 'exactly one of once and recurring must be set';

const oneOfTwin: CelTwin = { at: ['spec'], rule: 'has(self.once) != has(self.recurring)', message: ONE_OF_MESSAGE };

const RECURRING: FieldPath = ['spec', 'recurring'];
const MINUTE_MS = 60_000;

/** All rules of the kind. */
export const maintenanceWindowRules: readonly Rule<MaintenanceWindow>[] = [
  stateRule({ id: 'maintenancewindow.one-of', tier: 'C', cel: oneOfTwin }, oneOfFindings),
  stateRule(
    { id: 'maintenancewindow.once', tier: 'W', says: 'spec.once.end is later than spec.once.start' },
    onceFindings,
  ),
  stateRule(
    {
      id: 'maintenancewindow.schedule',
      tier: 'W',
      says: 'spec.recurring.schedule and spec.recurring.timeZone can be read, and the schedule is due at times of day',
    },
    unreadableFindings,
  ),
  stateRule(
    {
      id: 'maintenancewindow.always-open',
      tier: 'W',
      says: 'spec.recurring.durationMinutes is shorter than the time between two openings (a warning)',
    },
    alwaysOpenFindings,
  ),
  stateRule(
    { id: 'maintenancewindow.selector', tier: 'W', says: 'spec.namespaceSelector is a label selector' },
    ({ spec }) => labelSelectorFindings(spec.namespaceSelector ?? {}, ['spec', 'namespaceSelector']),
  ),
];

function* oneOfFindings({ spec }: MaintenanceWindow): Generator<Finding> {
  if ((spec.once === undefined) !== (spec.recurring === undefined)) return;
  yield { type: 'FieldValueInvalid', path: ['spec'], detail: ONE_OF_MESSAGE };
}

function* onceFindings({ spec }: MaintenanceWindow): Generator<Finding> {
  if (spec.once === undefined || Date.parse(spec.once.end) > Date.parse(spec.once.start)) return;
  yield invalid(['spec', 'once', 'end'], spec.once.end, 'must be later than spec.once.start');
}

function* unreadableFindings({ spec }: MaintenanceWindow): Generator<Finding> {
  const { recurring } = spec;
  if (recurring === undefined) return;
  const { schedule, timeZone } = recurring;
  yield* scheduleFindings([...RECURRING, 'schedule'], schedule, () => {
    if (readEvery(schedule) !== undefined)
      throw new ScheduleInvalid('must be due at times of day; @every has no beginning');
    readSchedule({ schedule, timeZone: 'Etc/UTC' });
  });
  yield* scheduleFindings([...RECURRING, 'timeZone'], timeZone, () => readSchedule({ schedule: '@daily', timeZone }));
}

function* alwaysOpenFindings({ spec }: MaintenanceWindow): Generator<Finding> {
  const { recurring } = spec;
  // What cannot be read has been told of.
  if (recurring === undefined || [...unreadableFindings({ spec } as MaintenanceWindow)].length > 0) return;
  const spacing = spacingOf(recurring.schedule);
  const durationMs = recurring.durationMinutes * MINUTE_MS;
  if (spacing === undefined || durationMs < spacing.shortestMs) return;
  const detail =
    durationMs >= spacing.longestMs
      ? 'is as long as the time between two openings: the window is always open'
      : 'is as long as the shortest time between two openings: some of them run into each other';
  yield { ...invalid([...RECURRING, 'durationMinutes'], recurring.durationMinutes, detail), severity: 'warn' };
}
