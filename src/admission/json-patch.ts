import { HomeostatError } from '../base/errors.ts';
import { escapePointer } from '../base/field-path.ts';
import { isRecord, jsonEqual, setOwn } from '../base/json.ts';

/** The operations of RFC 6902 this project sends. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A patch does not fit the document. Code `HOMEOSTAT_PATCH_INAPPLICABLE`. */
export class PatchInapplicable extends HomeostatError {
  constructor(operation: PatchOperation, problem: string) {
    super(
      'HOMEOSTAT_PATCH_INAPPLICABLE',
      `JSON patch: ${operation.op} ${operation.path} cannot be applied: ${problem}`,
    );
  }
}

/**
 * The operations that turn `before` into `after` and touch nothing that is equal in both. Members whose value is `undefined`
 * count as absent. List items are matched from both ends, so an insertion or a removal leaves its neighbours alone.
 */
export function diffJson(before: unknown, after: unknown): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  diffAt('', before, after, operations);
  return operations;
}

/**
 * Applies operations in order to a copy; parts that are not on a path are shared with the argument.
 *
 * Throws {@link PatchInapplicable} where the API server would refuse the patch: a missing parent, a missing target of
 * `remove` or `replace`, an index outside the list.
 */
export function applyPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  return operations.reduce((current, operation) => applyOperation(current, operation), document);
}

function diffAt(path: string, before: unknown, after: unknown, operations: PatchOperation[]): void {
  if (Array.isArray(before) && Array.isArray(after)) diffLists(path, before, after, operations);
  else if (isRecord(before) && isRecord(after)) diffRecords(path, before, after, operations);
  else if (!jsonEqual(before, after)) operations.push({ op: 'replace', path, value: after });
}

function diffRecords(
  path: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  operations: PatchOperation[],
): void {
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && !has(after, key)) operations.push({ op: 'remove', path: child(path, key) });
  }
  for (const key of Object.keys(after)) {
    if (!has(after, key)) continue;
    if (has(before, key)) diffAt(child(path, key), before[key], after[key], operations);
    else operations.push({ op: 'add', path: child(path, key), value: after[key] });
  }
}

function diffLists(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  operations: PatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && jsonEqual(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && jsonEqual(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;

  const paired = shorter - tail;
  for (let i = head; i < paired; i++) diffAt(`${path}/${i}`, before[i], after[i], operations);
  for (let i = paired; i < after.length - tail; i++) {
    operations.push({ op: 'add', path: `${path}/${tail === 0 ? '-' : i}`, value: after[i] });
  }
  // From the end, so that no removal shifts the index of the next one.
  for (let i = before.length - tail - 1; i >= paired; i--) operations.push({ op: 'remove', path: `${path}/${i}` });
}

function applyOperation(document: unknown, operation: PatchOperation): unknown {
  if (operation.path === '') {
    if (operation.op === 'remove') throw new PatchInapplicable(operation, 'the document itself cannot be removed');
    return operation.value;
  }
  if (!operation.path.startsWith('/')) throw new PatchInapplicable(operation, 'a path starts with a slash');
  const members = operation.path
    .slice(1)
    .split('/')
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
  return changed(document, members, operation);
}

/** A copy of `node` in which the operation has been done at `members`. */
function changed(node: unknown, members: readonly string[], operation: PatchOperation): unknown {
  const [member = '', ...rest] = members;
  if (Array.isArray(node)) return changedList(node, member, rest, operation);
  if (!isRecord(node)) throw new PatchInapplicable(operation, `the parent of "${member}" does not exist`);
  const copy = { ...node };
  if (rest.length > 0) {
    setOwn(copy, member, changed(has(node, member) ? node[member] : undefined, rest, operation));
    return copy;
  }
  if (operation.op !== 'add' && !has(node, member)) throw new PatchInapplicable(operation, 'the target does not exist');
  if (operation.op === 'remove') delete copy[member];
  else setOwn(copy, member, operation.value);
  return copy;
}

function changedList(
  list: readonly unknown[],
  member: string,
  rest: readonly string[],
  operation: PatchOperation,
): unknown {
  const appends = operation.op === 'add' && rest.length === 0;
  const index = member === '-' && appends ? list.length : listIndex(member, operation);
  const last = appends ? list.length : list.length - 1;
  if (index > last) throw new PatchInapplicable(operation, `the list has ${list.length} items`);
  if (rest.length > 0) return list.with(index, changed(list[index], rest, operation));
  switch (operation.op) {
    case 'add':
      return list.toSpliced(index, 0, operation.value);
    case 'replace':
      return list.with(index, operation.value);
    case 'remove':
      return list.toSpliced(index, 1);
  }
}

function listIndex(member: string, operation: PatchOperation): number {
  if (!/^(0|[1-9][0-9]{0,8})$/.test(member)) throw new PatchInapplicable(operation, `"${member}" is no list index`);
  return Number(member);
}

function child(path: string, key: string): string {
  return `${path}/${escapePointer(key)}`;
}

function has(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}
