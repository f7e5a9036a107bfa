import { isRecord } from '../base/json.ts';

/** Between these, a text is an expression of Helm's templates. No text of ours holds them otherwise. */
const OPEN = '⟦';
const CLOSE = '⟧';

/** Members that make a record a mark instead of a value. */
const MARKS = { when: '⟦when⟧', block: '⟦block⟧', optional: '⟦optional⟧' } as const;

/** A text, or a part of one, that Helm computes. */
export function expression(text: string): string {
  return `${OPEN}${text}${CLOSE}`;
}

/** A text cut into what is written as it is and what Helm computes. */
export function textParts(text: string): readonly { readonly text: string; readonly computed: boolean }[] {
  return text
    .split(/(⟦[^⟧]*⟧)/)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith(OPEN) ? { text: part.slice(1, -1), computed: true } : { text: part, computed: false },
    );
}

/** One of several values, each under a condition; nothing where none holds. */
export interface Choice {
  readonly condition: string;
  readonly value: unknown;
}

/** A member or item that is there only under a condition, or another under each. */
export function choice(choices: readonly Choice[]): object {
  return { [MARKS.when]: choices };
}

/** The choices of a mark that {@link choice} made. */
export function choicesOf(value: unknown): readonly Choice[] | undefined {
  // Made by choice() alone.
  return isRecord(value) && MARKS.when in value ? (value[MARKS.when] as readonly Choice[]) : undefined;
}

/** Within a {@link block}: how far its YAML is indented. */
export const DEPTH = '⟦depth⟧';

/** A whole value that Helm computes, written right behind its key: a number, or YAML that begins on a line of its own. */
export function block(text: string): object {
  return { [MARKS.block]: text };
}

/** The expression of a mark that {@link block} made. */
export function blockOf(value: unknown): string | undefined {
  return textOf(value, MARKS.block);
}

/** What the user gives under this name: as a member, its key and all; among members or items, its own ones. Nothing where it is empty. */
export function optional(text: string): object {
  return { [MARKS.optional]: text };
}

/** The expression of a mark that {@link optional} made. */
export function optionalOf(value: unknown): string | undefined {
  return textOf(value, MARKS.optional);
}

/** Key of a member whose value is {@link optional} and whose own members are meant. */
export const MORE = '⟦more⟧';

function textOf(value: unknown, mark: string): string | undefined {
  const text = isRecord(value) ? value[mark] : undefined;
  return typeof text === 'string' ? text : undefined;
}
