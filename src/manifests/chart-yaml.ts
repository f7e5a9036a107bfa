import { isRecord } from '../base/json.ts';
import { blockOf, choicesOf, DEPTH, MORE, optionalOf, textParts } from './chart-markup.ts';

const INDENT = 2;

/** Texts that YAML takes as they are; everything else is quoted. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9./_-]*$/;
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Helm's template of a value with marks: YAML in which conditions and expressions stand. One line a list element. */
export function templateLines(value: unknown, depth = 0): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => itemLines(item, depth));
  const members = Object.entries(isRecord(value) ? value : {});
  return members.flatMap(([key, member]) => memberLines(key, member, depth));
}

function memberLines(key: string, value: unknown, depth: number): readonly string[] {
  if (value === undefined) return [];
  const choices = choicesOf(value);
  if (choices !== undefined) {
    return choices.flatMap((one) => conditional(one.condition, memberLines(key, one.value, depth), depth));
  }
  const given = optionalOf(value);
  if (given !== undefined) return givenLines(given, key === MORE ? undefined : key, depth);
  const name = `${pad(depth)}${scalar(key)}:`;
  const computed = blockOf(value);
  if (computed !== undefined) return [`${name}${computed.replaceAll(DEPTH, String(depth + INDENT))}`];
  if (isEmpty(value)) return [`${name} ${Array.isArray(value) ? '[]' : '{}'}`];
  if (typeof value === 'object' && value !== null) return [name, ...templateLines(value, depth + INDENT)];
  if (typeof value === 'string' && value.includes('\n'))
    return [`${name} ${blockStyle(value)}`, ...textLines(value, depth)];
  return [`${name} ${scalar(value)}`];
}

function itemLines(item: unknown, depth: number): readonly string[] {
  const choices = choicesOf(item);
  if (choices !== undefined) {
    return choices.flatMap((one) => conditional(one.condition, itemLines(one.value, depth), depth));
  }
  const given = optionalOf(item);
  if (given !== undefined) return givenLines(given, undefined, depth);
  if (!isRecord(item) || isEmpty(item)) return [`${pad(depth)}- ${scalar(item)}`];
  // The dash stands before the first line, which no condition may take away.
  const members = Object.entries(item);
  const isFixed = ([, value]: readonly [string, unknown]): boolean =>
    choicesOf(value) === undefined && optionalOf(value) === undefined;
  const ordered = [
    ...members.filter(isFixed).slice(0, 1),
    ...members.filter((member) => member !== members.find(isFixed)),
  ];
  const [first = '', ...rest] = ordered.flatMap(([key, value]) => memberLines(key, value, depth + INDENT));
  return [`${pad(depth)}- ${first.trimStart()}`, ...rest];
}

/** Lines that are there under a condition. */
export function conditional(condition: string, lines: readonly string[], depth = 0): readonly string[] {
  return [`${pad(depth)}{{- if ${condition} }}`, ...lines, `${pad(depth)}{{- end }}`];
}

/** What the user gives, under a key or as members and items of their own. */
function givenLines(given: string, key: string | undefined, depth: number): readonly string[] {
  const yaml = (indent: number): string => `${pad(indent)}{{- toYaml . | nindent ${indent} }}`;
  const lines = key === undefined ? [yaml(depth)] : [`${pad(depth)}${key}:`, yaml(depth + INDENT)];
  return [`${pad(depth)}{{- with ${given} }}`, ...lines, `${pad(depth)}{{- end }}`];
}

/** The lines without an end where the same condition begins again. */
export function withoutSeams(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const open: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const isEnd = line.trimStart() === '{{- end }}';
    if (isEnd && lines[index + 1] === open.at(-1)) {
      index++;
      continue;
    }
    if (isEnd) open.pop();
    else if (/^ *\{\{- (?:if|with|range) .*\}\}$/.test(line)) open.push(line);
    kept.push(line);
  }
  return kept;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (PLAIN.test(value) && !WORDS.test(value)) return value;
  return `"${textParts(value)
    .map((part) => (part.computed ? `{{ ${part.text} }}` : literal(JSON.stringify(part.text).slice(1, -1))))
    .join('')}"`;
}

/** Braces that are not Helm's. */
function literal(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

function blockStyle(text: string): string {
  return text.endsWith('\n') ? '|' : '|-';
}

function textLines(text: string, depth: number): readonly string[] {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return lines.map((line) => (line === '' ? '' : `${pad(depth + INDENT)}${literal(line)}`));
}

function pad(depth: number): string {
  return ' '.repeat(depth);
}
