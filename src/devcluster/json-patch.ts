import { isRecord, jsonEqual, setOwn } from '../base/json.ts';

/** A JSON patch that does not apply. The message is the one the API server's patch library gives. */
export class PatchFailure extends Error {}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: unknown;
}

/** Applies an RFC 6902 patch to JSON and returns the result; the argument is not changed. Throws {@link PatchFailure}. */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchFailure('a JSON patch must be a list of operations');
  return patch.reduce<unknown>((result, item: unknown) => applyOperation(result, readOperation(item)), document);
}

function readOperation(item: unknown): Operation {
  if (!isRecord(item) || typeof item['op'] !== 'string' || typeof item['path'] !== 'string') {
    throw new PatchFailure('a JSON patch operation must have "op" and "path"');
  }
  const from = typeof item['from'] === 'string' ? item['from'] : '';
  return { op: item['op'], path: item['path'], from, value: item['value'] };
}

function applyOperation(document: unknown, operation: Operation): unknown {
  const { op, path, from, value } = operation;
  switch (op) {
    case 'add':
      return change(document, path, op, (parent, key) => insert(parent, key, value ?? null, path));
    case 'replace':
      read(document, path, op);
      return change(document, path, op, (parent, key) => put(parent, key, value ?? null));
    case 'remove':
      read(document, path, op);
      return change(document, path, op, removeKey);
    case 'test':
      if (jsonEqual(readOrAbsent(document, path) ?? null, value ?? null)) return document;
      throw new PatchFailure(`testing value ${path} failed`);
    case 'copy': {
      const copied = read(document, from, op);
      return change(document, path, op, (parent, key) => insert(parent, key, copied, path));
    }
    case 'move': {
      const moved = read(document, from, op);
      const without = change(document, from, op, removeKey);
      return change(without, path, op, (parent, key) => insert(parent, key, moved, path));
    }
    default:
      throw new PatchFailure(`Unexpected kind: ${op}`);
  }
}

type Parent = readonly unknown[] | Readonly<Record<string, unknown>>;

function change(root: unknown, path: string, op: string, edit: (parent: Parent, key: string) => unknown): unknown {
  const keys = pointer(path);
  const walk = (node: unknown, depth: number): unknown => {
    if (!isContainer(node)) throw missing(op, path);
    const key = keys[depth] ?? '';
    if (depth === keys.length - 1) return edit(node, key);
    const child = childOf(node, key);
    if (child === undefined) throw missing(op, path);
    return put(node, key, walk(child, depth + 1));
  };
  if (keys.length === 0) {
    const holder = edit({}, 'root');
    return isRecord(holder) ? holder['root'] : undefined;
  }
  return walk(root, 0);
}

function missing(op: string, path: string): PatchFailure {
  return new PatchFailure(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
}

function read(root: unknown, path: string, op: string): unknown {
  const keys = pointer(path);
  const last = keys.at(-1);
  const parent = keys
    .slice(0, -1)
    .reduce<unknown>((node, key) => (isContainer(node) ? childOf(node, key) : undefined), root);
  if (last === undefined) return root;
  if (!isContainer(parent)) throw missing(op, path);
  const value = childOf(parent, last);
  if (value !== undefined) return value;
  if (op === 'remove') {
    const word = Array.isArray(parent)
      ? `Unable to access invalid index: ${last}: invalid index referenced`
      : `Unable to remove nonexistent key: ${last}: missing value`;
    throw new PatchFailure(`error in remove for path: '${path}': ${word}`);
  }
  if (op === 'replace')
    throw new PatchFailure(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  throw missing(op, path);
}

function readOrAbsent(root: unknown, path: string): unknown {
  return pointer(path).reduce<unknown>((node, key) => (isContainer(node) ? childOf(node, key) : undefined), root);
}

function pointer(path: string): readonly string[] {
  if (path === '') return [];
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isContainer(node: unknown): node is Parent {
  return Array.isArray(node) || isRecord(node);
}

function childOf(node: Parent, key: string): unknown {
  if (isList(node)) return node[indexOf(key, node.length)];
  return Object.hasOwn(node, key) ? node[key] : undefined;
}

function isList(node: Parent): node is readonly unknown[] {
  return Array.isArray(node);
}

function indexOf(key: string, length: number): number {
  const index = Number(key);
  return key === '-' ? length : index < 0 ? length + index : index;
}

function put(node: Parent, key: string, value: unknown): unknown {
  if (isList(node)) return node.with(indexOf(key, node.length), value);
  const copy = { ...node };
  setOwn(copy, key, value);
  return copy;
}

function insert(node: Parent, key: string, value: unknown, path: string): unknown {
  if (!isList(node)) return put(node, key, value);
  const index = indexOf(key, node.length);
  if (!Number.isInteger(index) || index < 0 || index > node.length) {
    throw new PatchFailure(
      `add operation does not apply: error in add for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`,
    );
  }
  return node.toSpliced(index, 0, value);
}

function removeKey(node: Parent, key: string): unknown {
  if (isList(node)) return node.toSpliced(indexOf(key, node.length), 1);
  const { [key]: _, ...rest } = node;
  return rest;
}
