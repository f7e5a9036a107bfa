import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ControlPlane } from '../controlplane/start.ts';
import { checkRevisions, type RevisionReport } from './status-revisions.ts';
import { checkRights, type Right } from './used-rights.ts';

/** What a suite leaves for the comparison over all suites. */
export interface SuiteEvidence {
  readonly suite: string;
  readonly granted: readonly Right[];
  readonly used: readonly Right[];
  readonly revisions: RevisionReport['counts'];
}

/** Who is looked at, and what it may do. */
export interface EvidenceSubject {
  readonly user: string;
  readonly granted: readonly Right[];
  /** Its rights were taken away on purpose, so that some requests were refused. */
  readonly takesRights: boolean;
}

/** Folder that the runner gives to suites that are part of a whole; a suite by itself leaves nothing. */
export const EVIDENCE_FOLDER = 'HOMEOSTAT_EVIDENCE';

/**
 * Reads the audit log of a whole suite: every status that the service stored must satisfy the condition checkers, every request it
 * sent must have been allowed, by a right that the manifests grant it. Prints the figures, and leaves them for the comparison over all
 * suites. Rejects with what is wrong.
 */
export async function checkEvidence(
  plane: ControlPlane,
  { user, granted, takesRights }: EvidenceSubject,
): Promise<void> {
  const entries = await plane.auditEntries();
  const { counts, faults } = checkRevisions(entries, user);
  const { used, refused, unmapped } = checkRights(await plane.auditEntries({ user }), granted);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  process.stdout.write(
    `${total} status revisions (${parts.join(', ')}), ${used.length} of ${granted.length} rights used\n`,
  );
  await leave({ suite: basename(process.argv[1] ?? ''), granted, used, revisions: counts });
  const wrong = [
    ...faults,
    ...(takesRights ? [] : refused).map((right) => `The service was refused: ${right}`),
    ...unmapped.map((right) => `No rule of the manifests grants what the service did: ${right}`),
  ];
  if (wrong.length > 0) throw new Error(`The suite's audit log shows:\n${wrong.slice(0, 20).join('\n')}`);
}

async function leave(evidence: SuiteEvidence): Promise<void> {
  const folder = process.env[EVIDENCE_FOLDER];
  if (folder !== undefined) await writeFile(join(folder, `${evidence.suite}.json`), JSON.stringify(evidence));
}
