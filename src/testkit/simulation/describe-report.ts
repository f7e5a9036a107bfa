import { formatKey } from '../../base/resource.ts';
import { nameOf } from '../comparable-content.ts';
import type { Report } from './run-scenario.ts';
import type { Act, Plan, PlannedFault, Share } from './scenario.ts';

/** Lines that come every two seconds and tell nothing. */
const LEASES = /\bleases\b/;

const BEGUN_AT_REST = 'All that the samples ask for was there.';

/** A failed simulation as a person reads it: what was done, what went wrong, what happened, and which promise was broken where. */
export function describeReport(kind: string, { scenario, findings, trace }: Report): readonly string[] {
  const { seed, replicas, skewsMs, shares = [], isSettled = false, sequel } = scenario;
  const shared = shares.length === 0 ? '' : `, which reconcile ${shares.map(shareOf).join(', ')}`;
  const clocks = skewsMs.every((skew) => skew === 0) ? '' : `, clocks ahead by ${skewsMs.join(', ')} ms`;
  return [
    `${kind}, seed ${seed}: ${findings[0]?.oracle ?? 'nothing'} was not kept`,
    ...findings.map(({ oracle, message, atMs }) => `  ${seconds(atMs)}  ${oracle}: ${message}`),
    `  Again: homeostat simulate ${kind} --runs 1 --seed ${seed}${isSettled ? '' : ' --whole'}`,
    '',
    `${replicas} replica${replicas === 1 ? '' : 's'}${clocks}${shared}. ${isSettled ? BEGUN_AT_REST : 'What was done:'}`,
    ...(isSettled ? [] : describePlan(scenario)),
    ...(sequel === undefined ? [] : ['When all was as it should be, counted from then:', ...describePlan(sequel)]),
    '',
    'What happened, leases left out:',
    ...trace.filter((line) => !LEASES.test(line)),
  ];
}

function describePlan({ acts, faults }: Plan): readonly string[] {
  return [
    ...acts.map((act) => `  ${seconds(act.atMs)}  ${describeAct(act)}`),
    faults.length === 0 ? 'Nothing went wrong.' : 'What went wrong:',
    ...faults.map((fault) => `  ${describeFault(fault)}`),
  ];
}

function describeAct(act: Act): string {
  switch (act.type) {
    case 'apply': {
      const { manifest, bypass } = act;
      const spec = manifest['spec'] === undefined ? '' : ` ${JSON.stringify(manifest['spec'])}`;
      return `a person applies ${nameOf(manifest)}${bypass ? ' past the webhooks' : ''}${spec}`;
    }
    case 'annotate':
    case 'delete':
    case 'report': {
      const verb = { annotate: 'a person annotates', delete: 'a person deletes', report: 'a controller reports on' };
      const what = act.type === 'annotate' ? ` ${JSON.stringify(act.annotations)}` : '';
      return `${verb[act.type]} ${act.target.kind} ${formatKey(act.key)}${what}`;
    }
    case 'meddle':
      return act.how === 'disown'
        ? 'somebody takes the labels of their owners off all children'
        : `somebody meddles with a child: ${act.how}`;
    case 'rival':
      return `somebody else writes to what a replica writes to: ${act.how}`;
    case 'meddleVault':
      return `somebody meddles with a policy in Vault: ${act.how}`;
  }
}

function shareOf(share: Share): string {
  const [flag] = Object.entries(share).map(([name, value]) => `--${name}=${String(value)}`);
  return flag ?? 'everything';
}

function describeFault(fault: PlannedFault): string {
  const { type, ...rest } = fault;
  const words = Object.entries(rest).map(([name, value]) => {
    return `${name} ${name === 'replica' && typeof value === 'number' ? value + 1 : String(value)}`;
  });
  return `${type}: ${words.join(', ')}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3).padStart(9);
}
