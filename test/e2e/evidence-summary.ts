import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteEvidence } from './harness-evidence.ts';
import { formatRight } from './used-rights.ts';

/** What all suites together show. */
export interface EvidenceSummary {
  /** The figures, one sentence each. */
  readonly figures: readonly string[];
  /** Rights that nobody used and nobody explains, and explanations of rights that nobody has. */
  readonly problems: readonly string[];
}

/** A right that no request of a suite needs, or not every time, and why the manifests grant it all the same. */
export interface Explained {
  readonly right: RegExp;
  readonly why: string;
}

/** Rights that stand without a request of their own. */
const EXPLAINED: readonly Explained[] = [
  {
    right: /^bind clusterroles\.rbac\.authorization\.k8s\.io (?:edit|view)$/,
    why: 'the API server itself asks for it when a RoleBinding to that role is written',
  },
  {
    right:
      /^create (?:limitranges|resourcequotas|serviceaccounts|cronjobs\.batch|networkpolicies\.networking\.k8s\.io|rolebindings\.rbac\.authorization\.k8s\.io)$/,
    why: 'the API server itself asks for it when an apply makes the object',
  },
  { right: /^patch events\.events\.k8s\.io$/, why: 'an Event that is told again soon becomes a series' },
  {
    right: /^get teamconfigs\.homeostat\.io$/,
    why: 'a denial that rests on an object is confirmed by reading it; the rules of today only warn about a TeamConfig',
  },
];

/** Reads what the suites left in a folder. */
export async function readEvidence(folder: string): Promise<readonly SuiteEvidence[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted();
  // Written by the harness of these suites.
  return Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as SuiteEvidence),
  );
}

/** Compares what all suites used with what was granted to them. */
export function summarise(
  suites: readonly SuiteEvidence[],
  explained: readonly Explained[] = EXPLAINED,
): EvidenceSummary {
  const granted = new Set(suites.flatMap((suite) => suite.granted.map(formatRight)));
  const used = new Set(suites.flatMap((suite) => suite.used.map(formatRight)));
  const revisions = suites.flatMap((suite) => Object.values(suite.revisions)).reduce((sum, count) => sum + count, 0);
  const unused = [...granted].filter((right) => !used.has(right));
  const open = unused.filter((right) => !explained.some((entry) => entry.right.test(right)));
  return {
    figures: [
      `${revisions} status revisions of ${suites.length} suites satisfy the condition checkers`,
      `${granted.size - unused.length} of ${granted.size} rights were used, ${unused.length - open.length} are explained`,
    ],
    problems: [
      ...open.map((right) => `No suite used the right: ${right}`),
      ...explained
        .filter((entry) => ![...granted].some((right) => entry.right.test(right)))
        .map(({ right, why }) => `Not granted, and explained all the same: ${right.source} (${why})`),
    ],
  };
}
