import { type Finding, lineAt, type Project } from './project.ts';

const documentPath = 'docs/errors.md';

/** Every error code of the sources stands in docs/errors.md, and every code there is thrown somewhere. */
export function errorCodeFindings({ sources, texts }: Project): readonly Finding[] {
  const document = texts.get(documentPath);
  if (document === undefined) return [{ path: documentPath, message: 'is missing' }];
  const documented = new Set([...document.matchAll(/^\|\s*`(HOMEOSTAT_\w+)`/gm)].map(([, code = '']) => code));
  const used = new Map<string, Finding>();
  for (const { path, text, strings } of sources) {
    for (const { start, end } of strings) {
      const code = text.slice(start + 1, end - 1);
      if (/^HOMEOSTAT_[A-Z0-9_]+$/.test(code))
        used.set(code, { path, line: lineAt(text, start), message: `${code} is not in ${documentPath}` });
    }
  }
  return [
    ...[...used].flatMap(([code, finding]) => (documented.has(code) ? [] : [finding])),
    ...[...documented].flatMap((code) =>
      used.has(code) ? [] : [{ path: documentPath, message: `${code} is used by no source` }],
    ),
  ];
}
