import type { KubeObject } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import type { Lookup } from '../rules/lookup.ts';
import {
  describeOpenWindow,
  IGNORE_MAINTENANCE_ANNOTATION,
  ignoresMaintenance,
  type Maintenance,
  type OpenWindow,
} from '../rules/maintenance.ts';
import type { DecisionOptions } from './decision-context.ts';
import { type DenialSubject, forbiddenDenial } from './denial.ts';
import { denialOf, evaluateConfirmed } from './evaluation.ts';
import type { AccessRequest } from './slice.ts';
import type { Deny } from './verdict.ts';

/** The id under which a change that a window refuses is counted. */
const RULE = 'maintenance-window';

/** Where the override stands in an object. */
const OVERRIDE_PATH = ['metadata', 'annotations', { key: IGNORE_MAINTENANCE_ANNOTATION }] as const;

/** One create or update, and the windows it may fall into. */
export interface FreezeQuestion {
  readonly maintenance: Maintenance;
  readonly type: ResourceType;
  readonly change: Change<KubeObject>;
  /** Whether more than metadata changes: labels, annotations and finalizers are never refused. */
  readonly changesContent: boolean;
  readonly nowMs: number;
}

/**
 * Refuses a change that falls into an open window with the effect DenyChanges; `undefined` lets it pass. The refusal rests on the
 * window, which is read live before it counts. Rejects as confirmation does.
 */
export async function decideFreeze(
  question: FreezeQuestion,
  subject: DenialSubject,
  { context, limit }: DecisionOptions,
): Promise<Deny | undefined> {
  const evaluate = (lookup: Lookup) => ({ violations: freezeViolations(question, lookup), failures: [] });
  const evaluation = await evaluateConfirmed(evaluate, context.lookup, context.live, limit);
  return denialOf(evaluation, (violations) => forbiddenDenial(subject, violations));
}

function freezeViolations(question: FreezeQuestion, lookup: Lookup): readonly Violation[] {
  const window = question.changesContent ? freezingWindow(question, lookup) : undefined;
  if (window === undefined || question.change.type === 'delete' || ignoresMaintenance(question.change.after)) return [];
  const way = `who may override it sets the annotation ${IGNORE_MAINTENANCE_ANNOTATION}: "true"`;
  return [
    {
      rule: RULE,
      severity: 'deny',
      type: 'FieldValueForbidden',
      path: [],
      detail: `${describeOpenWindow(window)} and refuses changes; ${way}`,
      restsOn: [window.window],
    },
  ];
}

/**
 * Rights the override takes. Setting it asks for all windows, since it outlives those that are open now; a change it lets through asks
 * for the window it passes, so that an override somebody else has left is not everybody's.
 */
export function overrideRequests(question: FreezeQuestion, lookup: Lookup): readonly AccessRequest[] {
  const { change } = question;
  if (change.type === 'delete' || !ignoresMaintenance(change.after)) return [];
  if (change.type === 'create' || !ignoresMaintenance(change.before)) return [overrideRequest()];
  const window = question.changesContent ? freezingWindow(question, lookup) : undefined;
  return window === undefined ? [] : [overrideRequest(window)];
}

function overrideRequest(open?: OpenWindow): AccessRequest {
  const which = open === undefined ? 'maintenance windows' : `maintenance window "${open.window.key.name}"`;
  return {
    verb: 'override',
    group: 'homeostat.io',
    resource: 'maintenancewindows',
    ...(open === undefined ? {} : { name: open.window.key.name }),
    path: OVERRIDE_PATH,
    denial: (user) => `user "${user}" may not override ${which}`,
  };
}

function freezingWindow({ maintenance, type, change, nowMs }: FreezeQuestion, lookup: Lookup): OpenWindow | undefined {
  if (change.type === 'delete') return undefined;
  return maintenance.stateOf({ type, object: change.after }, lookup, nowMs).open.DenyChanges;
}
