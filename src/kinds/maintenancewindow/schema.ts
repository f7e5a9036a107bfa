import {
  boolean,
  type CustomResource,
  integer,
  list,
  MAINTENANCE_EFFECTS,
  object,
  oneOf,
  optional,
  type Static,
  string,
  withDefault,
} from '../../sdk/index.ts';
import { labelSelectorSchema } from '../tenancy/label-selector.ts';

const moment = (description: string) => string({ description, maxLength: 64, format: 'date-time' });

/** Minutes of a week: a window that is open longer is no window. */
const WEEK_MINUTES = 10_080;

const once = object(
  {
    start: moment('When it opens, RFC 3339.'),
    end: moment('When it closes, RFC 3339; at this very moment it is closed.'),
  },
  { description: 'Open once.' },
);

const recurring = object(
  {
    schedule: string({
      description: 'When it opens: five cron fields, or @hourly, @daily, @weekly, @monthly, @yearly. Sunday is 0.',
      minLength: 1,
      maxLength: 256,
    }),
    durationMinutes: integer({ description: 'How long it stays open, minutes.', minimum: 5, maximum: WEEK_MINUTES }),
    timeZone: withDefault(
      string({ description: 'IANA time zone the schedule is read in.', minLength: 1, maxLength: 64 }),
      'Etc/UTC',
    ),
  },
  { description: 'Open again and again.' },
);

/** What a MaintenanceWindow says. */
export const maintenanceWindowSpec = object(
  {
    once: optional(once),
    recurring: optional(recurring),
    effects: list(
      oneOf(MAINTENANCE_EFFECTS, {
        description:
          'PauseReconcile: nothing is written but conditions. SuspendBackups: no backup is started. DenyChanges: changes are refused.',
      }),
      { description: 'What it does while it is open.', minItems: 1, maxItems: 3, listType: 'set' },
    ),
    kinds: optional(
      list(string({ description: 'Kind of the objects, such as Environment.', minLength: 1, maxLength: 63 }), {
        description: 'Kinds it concerns; all kinds of this service where absent.',
        minItems: 1,
        maxItems: 32,
        listType: 'set',
      }),
    ),
    namespaceSelector: optional(
      labelSelectorSchema(
        'Namespaces whose objects it concerns; all objects where absent. With a selector, cluster-scoped objects are not concerned.',
      ),
    ),
    reason: optional(string({ description: 'Why, for people; shown with the window.', maxLength: 200 })),
    suspend: withDefault(boolean({ description: 'Leave it closed.' }), false),
  },
  { description: 'When the window is open, for what, and what it does.' },
);

/** The spec of a MaintenanceWindow. */
export type MaintenanceWindowSpec = Static<typeof maintenanceWindowSpec>;

/** A MaintenanceWindow. It has no status: what it does is shown by the objects it concerns. */
export type MaintenanceWindow = CustomResource<MaintenanceWindowSpec>;
