import { HomeostatError } from '../base/errors.ts';
import { nearest } from './nearest.ts';

/** What a flag's text is read as. */
export type FlagType = 'text' | 'integer' | 'port' | 'duration' | 'boolean';

/** One flag of a command. The table of flags parses the command line and prints the help; nothing else knows them. */
export interface Flag {
  readonly type: FlagType;
  /** Shown in the help. */
  readonly description: string;
  /** Text of the default; absent: the flag may be missing. */
  readonly default?: string;
  /** The smallest integer that makes sense. @defaultValue 0 */
  readonly least?: number;
  /** Environment variable that is read where the flag is not given. */
  readonly env?: string;
  /** Set once in the help: `FILE`, `NAME`. @defaultValue by type */
  readonly placeholder?: string;
  /** Text of the value where the flag stands alone, as in `--wait`; any other value then needs `=`. @defaultValue it needs one */
  readonly bare?: string;
}

/** A table of flags by name, without the dashes. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** What a flag's value is: numbers for integers and ports, milliseconds for durations. */
type ValueOf<F extends Flag> = F['type'] extends 'text' ? string : F['type'] extends 'boolean' ? boolean : number;

/** Values of a table of flags; flags without a default may be absent. */
export type FlagValues<T extends FlagTable> = {
  readonly [N in keyof T]: T[N] extends { readonly default: string } ? ValueOf<T[N]> : ValueOf<T[N]> | undefined;
};

/** A command line that cannot be understood. Code `HOMEOSTAT_USAGE`; the exit code is 2. */
export class UsageError extends HomeostatError {
  constructor(message: string) {
    super('HOMEOSTAT_USAGE', message);
  }
}

/** Flags and the words that are none, in the order given. */
export interface ParsedArguments<T extends FlagTable> {
  readonly flags: FlagValues<T>;
  readonly words: readonly string[];
}

/**
 * Reads a command line: `--name=value`, `--name value`, `--switch`, `--no-switch`; `--` ends the flags.
 *
 * @throws UsageError for an unknown flag (naming the nearest one), a missing or an unreadable value
 */
export function parseArguments<const T extends FlagTable>(
  table: T,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedArguments<T> {
  const { given, words } = split(table, argv);
  const values: Record<string, string | number | boolean | undefined> = {};
  for (const [name, flag] of Object.entries(table)) {
    const fromEnv = flag.env === undefined ? undefined : env[flag.env];
    const text = given.get(name) ?? (fromEnv === '' ? undefined : fromEnv) ?? flag.default;
    values[name] = text === undefined ? undefined : readValue(name, flag, text);
  }
  // The loop above reads every flag of T by its own type.
  return { flags: values as FlagValues<T>, words };
}

/** Refuses words that are no flags, for a command that takes none. @throws UsageError */
export function refuseArguments(command: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new UsageError(`homeostat ${command} takes no arguments, only flags; got "${words.join(' ')}"`);
}

function split(table: FlagTable, argv: readonly string[]): { given: Map<string, string>; words: string[] } {
  const given = new Map<string, string>();
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return { given, words: [...words, ...rest] };
    if (word.startsWith('-') && word !== '-') given.set(...readFlag(table, word, rest));
    else words.push(word);
  }
  return { given, words };
}

/** Name and text of one flag; takes the value off `rest` where it is a word of its own. */
function readFlag(table: FlagTable, word: string, rest: string[]): [string, string] {
  const [name, inline] = splitOnce(word.replace(/^-+/, ''));
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (flag === undefined) {
    const positive = name.replace(/^no-/, '');
    const negated = name !== positive && inline === undefined && table[positive]?.type === 'boolean';
    if (negated) return [positive, 'false'];
    throw unknownFlag(name, Object.keys(table));
  }
  const value = inline ?? flag.bare ?? (flag.type === 'boolean' ? 'true' : rest.shift());
  if (value === undefined) throw new UsageError(`Flag ${spelled(name)} needs a value (${flag.description})`);
  return [name, value];
}

function spelled(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function splitOnce(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function unknownFlag(name: string, known: readonly string[]): UsageError {
  const near = nearest(name, known);
  const hint = near === undefined ? 'run with --help to see all flags' : `did you mean ${spelled(near)}?`;
  return new UsageError(`Unknown flag ${spelled(name)}; ${hint}`);
}

function readValue(name: string, flag: Flag, text: string): string | number | boolean {
  switch (flag.type) {
    case 'text':
      return text;
    case 'boolean':
      if (text !== 'true' && text !== 'false')
        throw new UsageError(`Flag --${name}: "${text}" is neither true nor false`);
      return text === 'true';
    case 'integer':
      return readInteger(name, text, { least: flag.least ?? 0, most: Number.MAX_SAFE_INTEGER });
    case 'port':
      return readInteger(name, text, { least: 0, most: 65535 });
    case 'duration':
      return readDuration(name, text);
  }
}

function readInteger(
  name: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} up` : `${least} to ${most}`;
    throw new UsageError(`Flag --${name}: "${text}" is not a whole number from ${range}`);
  }
  return value;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's spelling of durations, as Kubernetes flags use it: `90s`, `1h30m`, `250ms`. */
function readDuration(name: string, text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text) {
    throw new UsageError(`Flag --${name}: "${text}" is not a duration such as 30s, 5m or 1h30m`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}
