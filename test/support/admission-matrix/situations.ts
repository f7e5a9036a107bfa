import type { FailurePolicy, HookPhase } from '../../../src/base/hook.ts';

/** What a webhook of the matrix is: our own server, one that answers by script, or one that cannot be reached. */
export type Webhook =
  | { readonly by: 'ours' }
  | { readonly by: 'script'; readonly script: Script }
  | { readonly by: 'script'; readonly script: 'allow'; readonly reachedBy: BrokenWay };

/** Answers that our server never gives. */
export type Script =
  | 'allow'
  | 'hang'
  | 'wrong-uid'
  | 'wrong-version'
  | 'no-allowed'
  | 'patch-without-type'
  | 'bad-base64'
  | 'misfit'
  | 'retry'
  | 'reset'
  | 'too-large';

/** What is wrong between the API server and a webhook. */
export type BrokenWay = 'unknown-ca' | 'expired' | 'wrong-name' | 'nobody';

/** What the client of the API server does. */
export type Scene =
  | 'create'
  | 'dry-run'
  | 'delete'
  | 'status-update'
  | 'finalizer-removal'
  | 'unrelated-edit'
  | 'reinvocation'
  | 'other-version';

/** Counters of the API server for one webhook. */
export type Rejection = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

/** What the client and the storage see in the end. */
export interface Expected {
  readonly code: number;
  /** What is stored afterwards. */
  readonly stored: 'as-sent' | 'patched' | 'nothing';
  readonly says?: RegExp;
  readonly warns?: RegExp;
  readonly rejection?: Rejection;
  /** Whether the API server went on without an answer. */
  readonly open?: true;
}

/** One row of the acceptance matrix. */
export interface Situation {
  /** Lower-case with dashes: part of names, labels and paths. */
  readonly name: string;
  /** Numbers of the outages and bug reports that it stands for. */
  readonly reports?: string;
  readonly phase: HookPhase;
  readonly webhook: Webhook;
  readonly spec: { readonly size: number; readonly stage?: string; readonly keep?: boolean };
  readonly scene: Scene;
  readonly timeoutSeconds: number;
  readonly expected: Readonly<Record<FailurePolicy, Expected>>;
}

const OURS: Webhook = { by: 'ours' };
const script = (name: Script): Webhook => ({ by: 'script', script: name });
const broken = (reachedBy: BrokenWay): Webhook => ({ by: 'script', script: 'allow', reachedBy });

const passes: Expected = { code: 201, stored: 'as-sent' };
const edited: Expected = { code: 200, stored: 'as-sent' };
const open: Expected = { code: 201, stored: 'as-sent', open: true };
const both = (expected: Expected): Situation['expected'] => ({ Fail: expected, Ignore: expected });
/** A webhook that could not be called: an error under Fail, and nothing at all under Ignore. */
const fault = (says: RegExp): Situation['expected'] => ({
  Fail: { code: 500, stored: 'nothing', says, rejection: 'calling_webhook_error' },
  Ignore: open,
});

type Row = Pick<Situation, 'name' | 'webhook' | 'expected'> & Partial<Situation>;
const row = (given: Row): Situation => ({
  phase: 'validate',
  spec: { size: 1 },
  scene: 'create',
  // Long, so that only the rows about time are decided by it, whatever else the machine does.
  timeoutSeconds: 20,
  ...given,
});

/** What our own server says in each situation. */
const OURS_ROWS: readonly Situation[] = [
  row({ name: 'allow', reports: 'A11', webhook: OURS, expected: both(passes) }),
  row({
    name: 'allow-patch',
    reports: 'A05',
    webhook: OURS,
    phase: 'mutate',
    spec: { size: 1, stage: 'dev' },
    expected: both({ code: 201, stored: 'patched' }),
  }),
  row({
    name: 'deny',
    webhook: OURS,
    spec: { size: 6, stage: 'old' },
    expected: both({
      code: 422,
      stored: 'nothing',
      says: /denied the request: Gadget\.test\.homeostat\.io "[^"]*" is invalid: spec\.size: Invalid value: 6: must be at most 5/,
      warns: /spec\.stage.*is old/,
      rejection: 'no_error',
    }),
  }),
  row({
    name: 'throw',
    reports: 'A15',
    webhook: OURS,
    spec: { size: 1, stage: 'throws' },
    expected: fault(
      /Homeostat failed while judging this object, which is a mistake in Homeostat.*\(request [-0-9a-f]+\)/,
    ),
  }),
  row({
    name: 'hang-past-budget',
    reports: 'A04',
    webhook: OURS,
    spec: { size: 1, stage: 'hangs' },
    timeoutSeconds: 3,
    expected: fault(/Homeostat could not decide within the time this webhook has/),
  }),
  row({
    // Under Ignore no retry is offered: going on at once is what the policy asks for.
    name: 'unready-then-ready',
    webhook: OURS,
    spec: { size: 1, stage: 'waits' },
    timeoutSeconds: 20,
    expected: { Fail: passes, Ignore: open },
  }),
  row({
    name: 'dry-run',
    reports: 'A27',
    webhook: OURS,
    scene: 'dry-run',
    expected: both({ code: 201, stored: 'nothing' }),
  }),
  row({
    name: 'deletion',
    reports: 'A22',
    webhook: OURS,
    phase: 'protect',
    scene: 'delete',
    spec: { size: 1, keep: true },
    expected: both({ code: 403, stored: 'as-sent', says: /spec\.keep: Forbidden/, rejection: 'no_error' }),
  }),
  row({ name: 'status-update', webhook: OURS, scene: 'status-update', expected: both(edited) }),
  row({
    name: 'finalizer-removal',
    reports: 'A23',
    webhook: OURS,
    scene: 'finalizer-removal',
    spec: { size: 6 },
    expected: both({ code: 200, stored: 'nothing' }),
  }),
  row({
    name: 'ratcheted-update',
    reports: 'A25',
    webhook: OURS,
    scene: 'unrelated-edit',
    spec: { size: 6 },
    expected: both({ ...edited, warns: /spec\.size: Invalid value: 6: must be at most 5/ }),
  }),
  row({
    name: 'reinvocation',
    webhook: OURS,
    phase: 'mutate',
    scene: 'reinvocation',
    spec: { size: 1, stage: 'dev' },
    expected: both({ code: 201, stored: 'patched' }),
  }),
  row({
    name: 'other-version',
    webhook: OURS,
    scene: 'other-version',
    spec: { size: 6 },
    expected: both({ code: 422, stored: 'nothing', says: /spec\.size: Invalid value: 6/, rejection: 'no_error' }),
  }),
];

/** What the API server makes of answers, and of ways to a webhook, that are not ours to give. */
const API_SERVER_ROWS: readonly Situation[] = [
  row({
    name: 'hang-past-timeout',
    reports: 'A04',
    webhook: script('hang'),
    timeoutSeconds: 1,
    expected: fault(/context deadline exceeded/),
  }),
  row({ name: 'wrong-uid', reports: 'A13', webhook: script('wrong-uid'), expected: fault(/expected response\.uid=/) }),
  row({
    name: 'wrong-version',
    reports: 'A14',
    webhook: script('wrong-version'),
    expected: fault(/unknown conversion/),
  }),
  row({
    name: 'no-allowed',
    webhook: script('no-allowed'),
    expected: both({ code: 400, stored: 'nothing', says: /without explanation/, rejection: 'no_error' }),
  }),
  row({
    name: 'patch-without-type',
    webhook: script('patch-without-type'),
    phase: 'mutate',
    expected: fault(/response\.patch but not response\.patchType/),
  }),
  row({ name: 'bad-base64', webhook: script('bad-base64'), phase: 'mutate', expected: fault(/illegal base64 data/) }),
  row({
    name: 'patch-does-not-apply',
    webhook: script('misfit'),
    phase: 'mutate',
    expected: both({
      code: 500,
      stored: 'nothing',
      says: /error in remove for path/,
      rejection: 'apiserver_internal_error',
    }),
  }),
  row({ name: 'retry-after', webhook: script('retry'), expected: both(passes) }),
  row({ name: 'connection-reset', reports: 'A03', webhook: script('reset'), expected: fault(/EOF|connection reset/) }),
  row({ name: 'unknown-authority', webhook: broken('unknown-ca'), expected: fault(/unknown authority|x509/) }),
  row({ name: 'expired-leaf', webhook: broken('expired'), expected: fault(/expired/) }),
  row({ name: 'name-mismatch', webhook: broken('wrong-name'), expected: fault(/x509|not valid for|altnames/) }),
  row({ name: 'no-endpoints', webhook: broken('nobody'), expected: fault(/connection refused/) }),
  row({ name: 'too-large', webhook: script('too-large'), expected: fault(/status code 413/) }),
];

/** The acceptance matrix: every situation of a webhook, with what each failure policy makes of it. */
export const SITUATIONS: readonly Situation[] = [...OURS_ROWS, ...API_SERVER_ROWS];
