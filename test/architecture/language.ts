import { type Finding, lineAt, occurrences, type Project, type SourceFile } from './project.ts';
import { environmentReaders, systemPortFiles } from './rooms.ts';

const anyType = /(?:[:<|&,(=]|=>|\bas|\bextends|\bkeyof)\s*any\b(?!\s*[:(])/g;
const nonNull = /[\w)\]]!(?=\s*(?:[.;,)\]}[]|$))/gm;

/** The escapes that switch the compiler off are not used. */
export function escapeFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) => [
    ...occurrences(file, anyType, 'uses the type any'),
    ...occurrences(file, nonNull, 'asserts that a value is not null'),
    ...file.comments.flatMap(({ start, end }) =>
      /@ts-(?:ignore|expect-error|nocheck)|oxlint-disable|eslint-disable|biome-ignore/.test(file.text.slice(start, end))
        ? [{ path: file.path, line: lineAt(file.text, start), message: 'switches a check off' }]
        : [],
    ),
  ]);
}

const cast = /\bas\s+(?!const\b)(?=[\w{('"[|])/g;
const linesOfReason = 3;

/** A cast has its reason in a comment on its line or on one of the three above. */
export function castFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) =>
    [...withoutClauses(file.code).matchAll(cast)].flatMap(({ index }) =>
      hasReason(file, index)
        ? []
        : [{ path: file.path, line: lineAt(file.code, index), message: 'casts without a reason beside it' }],
    ),
  );
}

// In the braces of an import or export, and behind a star, `as` renames.
function withoutClauses(code: string): string {
  const clause = /\b(?:import|export)\s+(?:type\s+)?(?:\{[^}]*\}|\*\s+as\s+\w+)|\[\s*\w+\s+in\b[^\]]*\bas\b/g;
  return code.replaceAll(clause, (text) => text.replaceAll(/[^\n]/g, ' '));
}

function hasReason({ code, comments }: SourceFile, at: number): boolean {
  let from = at;
  for (let line = 0; line <= linesOfReason; line++) from = code.lastIndexOf('\n', from - 1);
  const to = code.indexOf('\n', at);
  return comments.some(({ start, end }) => end > from && (start < to || to < 0));
}

const ambient: readonly (readonly [RegExp, string])[] = [
  [/\bDate\.now\b/g, 'reads the wall clock: take the port Clock'],
  [/\bnew\s+Date\(\s*\)/g, 'reads the wall clock: take the port Clock'],
  [/\bperformance\.now\b/g, 'reads the monotonic clock: take the port Clock'],
  [
    /(?<![.\w#])(?:setTimeout|setInterval|setImmediate)\s*\((?![^()]*(?:\([^()]*\)[^()]*)*\)\s*:)/g,
    'sets a timer: take the port Clock',
  ],
  [/\bAbortSignal\.timeout\b/g, 'sets a timer: take the port Clock'],
  [/\bMath\.random\b|(?<![.\w#])randomUUID\s*\(/g, 'takes chance of its own: take the port Random'],
];

/** Time and chance come in through the ports, the environment through the configuration. */
export function ambientFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) => [
    ...(systemPortFiles.includes(file.path)
      ? []
      : ambient.flatMap(([pattern, message]) => occurrences(file, pattern, message))),
    ...(environmentReaders.some((folder) => file.path.startsWith(folder))
      ? []
      : occurrences(file, /\bprocess\.env\b/g, 'reads the environment: take it from the configuration')),
  ]);
}

/** Nothing is left for later, in code or beside it. */
export function unfinishedFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) =>
    [...file.text.matchAll(/\b(?:TODO|FIXME|XXX|HACK)\b/g)].map(({ index, 0: word }) => ({
      path: file.path,
      line: lineAt(file.text, index),
      message: `says ${word}`,
    })),
  );
}
