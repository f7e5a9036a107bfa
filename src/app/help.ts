import type { Flag, FlagTable } from './flag.ts';

const PLACEHOLDER: Readonly<Record<Flag['type'], string>> = {
  text: 'TEXT',
  integer: 'N',
  port: 'PORT',
  duration: 'DURATION',
  boolean: '',
};

/** The flags of a command as lines of help, sorted as declared. */
export function flagHelp(table: FlagTable): string {
  const rows = Object.entries(table).map(([name, flag]) => {
    const placeholder = flag.placeholder ?? PLACEHOLDER[flag.type];
    const value = flag.bare === undefined ? ` ${placeholder}` : `[=${placeholder}]`;
    const left = `  ${name.length === 1 ? '-' : '--'}${name}${placeholder === '' ? '' : value}`;
    const notes = [
      flag.default === undefined || flag.default === '' ? undefined : `default ${flag.default}`,
      flag.env === undefined ? undefined : `env ${flag.env}`,
    ].filter((note) => note !== undefined);
    return [left, `${flag.description}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`).join('\n');
}
