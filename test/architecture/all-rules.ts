import { errorCodeFindings } from './error-codes.ts';
import { ambientFindings, castFindings, escapeFindings, unfinishedFindings } from './language.ts';
import { cycleFindings, kindFindings, ownerFindings, productionFindings, tierFindings } from './layers.ts';
import type { Finding, Project } from './project.ts';
import { docCommentFindings, exportFindings, fileFindings, readmeFindings } from './shape.ts';

/** A rule of the architecture, by the sentence that is true when nothing is found. */
export interface ArchitectureRule {
  readonly name: string;
  find(project: Project): readonly Finding[];
}

/** Every rule that the sources must satisfy. */
export const architectureRules: readonly ArchitectureRule[] = [
  { name: 'imports point only downward', find: tierFindings },
  { name: 'a kind is imported through its index', find: kindFindings },
  { name: 'packages and sockets are used by their owners alone', find: ownerFindings },
  { name: 'no file imports itself in a circle', find: cycleFindings },
  { name: 'the production graph holds no test code', find: productionFindings },
  { name: 'every room and kind has a short README', find: readmeFindings },
  { name: 'files are short and well named', find: fileFindings },
  { name: 'every exported symbol has a doc comment', find: docCommentFindings },
  { name: 'exports are named and direct', find: exportFindings },
  { name: 'no escape from the type checker', find: escapeFindings },
  { name: 'every cast has a reason', find: castFindings },
  { name: 'time, chance and environment come in through ports', find: ambientFindings },
  { name: 'nothing is left unfinished', find: unfinishedFindings },
  { name: 'docs/errors.md lists exactly the codes in use', find: errorCodeFindings },
];

/** A finding as one line of text. */
export function formatFinding({ path, line, message }: Finding): string {
  return `${path}${line === undefined ? '' : `:${line}`} ${message}`;
}
