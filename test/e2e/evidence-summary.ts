import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteEvidence } from './harness-evidence.ts';
import { formatRight } from './used-rights.ts';

/** What all suites together show. */
export interface EvidenceSummary {
  /** The figures, one sentence each. */
  readonly figures: readonly string[];
  /** Rights that nobody used and nobody explains, and explanations that explain nothing. */
  readonly problems: readonly string[];
}

/** Rights that no request of a suite needs, and why the manifests grant them all the same. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'bind clusterroles.rbac.authorization.k8s.io edit':
    'asked by the API server itself when a RoleBinding to that role is written',
  'bind clusterroles.rbac.authorization.k8s.io view':
    'asked by the API server itself when a RoleBinding to that role is written',
};

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
  explained: Readonly<Record<string, string>> = EXPLAINED,
): EvidenceSummary {
  const granted = new Set(suites.flatMap((suite) => suite.granted.map(formatRight)));
  const used = new Set(suites.flatMap((suite) => suite.used.map(formatRight)));
  const revisions = suites.flatMap((suite) => Object.values(suite.revisions)).reduce((sum, count) => sum + count, 0);
  const unused = [...granted].filter((right) => !used.has(right));
  return {
    figures: [
      `${revisions} status revisions of ${suites.length} suites satisfy the condition checkers`,
      `${granted.size - unused.length} of ${granted.size} rights were used, ${unused.filter((right) => right in explained).length} are explained`,
    ],
    problems: [
      ...unused.filter((right) => !(right in explained)).map((right) => `No suite used the right: ${right}`),
      ...Object.keys(explained)
        .filter((right) => used.has(right) || !granted.has(right))
        .map((right) => `Explained, but used or not granted: ${right}`),
    ],
  };
}
