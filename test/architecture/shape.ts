import { type Finding, lineAt, occurrences, type Project, type SourceFile } from './project.ts';
import { entryFiles } from './rooms.ts';

const longestSource = 300;
const longestReadme = 15;

/** Each room and each kind says in a README of at most 15 lines what it is. */
export function readmeFindings({ sources, texts }: Project): readonly Finding[] {
  const folders = new Set(sources.flatMap(({ path }) => documentedFolder(path)));
  return [...folders].flatMap((folder) => {
    const path = `${folder}/README.md`;
    const text = texts.get(path);
    if (text === undefined) return [{ path, message: 'is missing' }];
    const lines = text.trimEnd().split('\n').length;
    return lines > longestReadme ? [{ path, message: `has ${lines} lines, more than ${longestReadme}` }] : [];
  });
}

function documentedFolder(path: string): readonly string[] {
  const [, room = '', kind = '', rest] = path.split('/');
  if (kind === '') return [];
  return room === 'kinds' && rest !== undefined ? ['src/kinds', `src/kinds/${kind}`] : [`src/${room}`];
}

/** Files are named after what they export, in kebab-case, and stay short. */
export function fileFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap(({ path, text }) => {
    const name = path.split('/').at(-1) ?? '';
    const lines = text.trimEnd().split('\n').length;
    const messages = [
      lines > longestSource ? `has ${lines} lines, more than ${longestSource}` : '',
      /^(?:utils?|helpers?|commons?|misc|types)\.ts$/.test(name) ? 'has a name that says nothing' : '',
      /^[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(name) ? '' : 'is not named in kebab-case',
      name === 'index.ts' && !entryFiles.test(path) ? 'is an index outside an entry of the package' : '',
    ];
    return messages.filter((message) => message !== '').map((message) => ({ path, message }));
  });
}

const exported =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|const|let)\s+(?<name>\w+)/gm;

/** Every exported symbol has a doc comment; an overload speaks for those that follow it. */
export function docCommentFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) => {
    const documented = new Set<string>();
    return [...file.code.matchAll(exported)].flatMap((match) => {
      const name = match.groups?.['name'] ?? '';
      if (hasDocComment(file, match.index)) documented.add(name);
      if (documented.has(name)) return [];
      return [{ path: file.path, line: lineAt(file.code, match.index), message: `${name} has no doc comment` }];
    });
  });
}

function hasDocComment({ comments, text }: SourceFile, at: number): boolean {
  const before = comments.findLast(({ end }) => end <= at);
  return before !== undefined && text.startsWith('/**', before.start) && text.slice(before.end, at).trim() === '';
}

/** Exports are named, and re-exports stand in entries only. */
export function exportFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) => [
    ...occurrences(file, /^export\s+default\b/gm, 'exports a default'),
    ...occurrences(file, /^export\s+(?:type\s+)?\*/gm, 'exports everything of another file'),
    ...(entryFiles.test(file.path)
      ? []
      : occurrences(file, /^export\s+(?:type\s+)?\{[^}]*\}\s*from\b/gm, 're-exports outside an entry')),
  ]);
}
