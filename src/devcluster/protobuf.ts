import { isRecord, setOwn } from '../base/json.ts';
import { badRequest, notImplemented } from './status-error.ts';

/** One field of a message: its JSON name and how it is read. `*` marks repeated ones, `{}` maps of text. */
type Field = readonly [
  name: string,
  type: 'text' | 'texts' | 'bool' | 'int' | 'map' | 'bytesMap' | Message | readonly [Message],
];
type Message = { readonly [number: number]: Field };

// Field numbers of the public generated.proto files of Kubernetes; fields that clients never send are left out.
const OWNER: Message = {
  5: ['apiVersion', 'text'],
  1: ['kind', 'text'],
  3: ['name', 'text'],
  4: ['uid', 'text'],
  6: ['controller', 'bool'],
  7: ['blockOwnerDeletion', 'bool'],
};
const META: Message = {
  1: ['name', 'text'],
  2: ['generateName', 'text'],
  3: ['namespace', 'text'],
  5: ['uid', 'text'],
  6: ['resourceVersion', 'text'],
  11: ['labels', 'map'],
  12: ['annotations', 'map'],
  13: ['ownerReferences', [OWNER]],
  14: ['finalizers', 'texts'],
};
const META_FIELD: Field = ['metadata', META];
const RULE: Message = {
  1: ['verbs', 'texts'],
  2: ['apiGroups', 'texts'],
  3: ['resources', 'texts'],
  4: ['resourceNames', 'texts'],
  5: ['nonResourceURLs', 'texts'],
};
const SUBJECT: Message = {
  1: ['kind', 'text'],
  2: ['apiGroup', 'text'],
  3: ['name', 'text'],
  4: ['namespace', 'text'],
};
const ROLE_REF: Message = { 1: ['apiGroup', 'text'], 2: ['kind', 'text'], 3: ['name', 'text'] };
const ROLE: Message = { 1: META_FIELD, 2: ['rules', [RULE]] };
const BINDING: Message = { 1: META_FIELD, 2: ['subjects', [SUBJECT]], 3: ['roleRef', ROLE_REF] };
const RESOURCE_ATTRIBUTES: Message = {
  1: ['namespace', 'text'],
  2: ['verb', 'text'],
  3: ['group', 'text'],
  4: ['version', 'text'],
  5: ['resource', 'text'],
  6: ['subresource', 'text'],
  7: ['name', 'text'],
};
const OTHER_ATTRIBUTES: Message = { 1: ['path', 'text'], 2: ['verb', 'text'] };
const ACCESS: Message = {
  1: ['resourceAttributes', RESOURCE_ATTRIBUTES],
  2: ['nonResourceAttributes', OTHER_ATTRIBUTES],
};

const KINDS: Readonly<Record<string, Message>> = {
  Namespace: { 1: META_FIELD, 2: ['spec', { 1: ['finalizers', 'texts'] }] },
  ServiceAccount: { 1: META_FIELD },
  ConfigMap: { 1: META_FIELD, 2: ['data', 'map'], 4: ['immutable', 'bool'] },
  Secret: {
    1: META_FIELD,
    2: ['data', 'bytesMap'],
    3: ['type', 'text'],
    4: ['stringData', 'map'],
    5: ['immutable', 'bool'],
  },
  Role: ROLE,
  ClusterRole: ROLE,
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  SelfSubjectAccessReview: { 1: META_FIELD, 2: ['spec', ACCESS] },
  SelfSubjectRulesReview: { 1: META_FIELD, 2: ['spec', { 1: ['namespace', 'text'] }] },
  SelfSubjectReview: { 1: META_FIELD },
  TokenRequest: { 1: META_FIELD, 2: ['spec', { 1: ['audiences', 'texts'], 4: ['expirationSeconds', 'int'] }] },
};

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const TYPE_META: Message = { 1: ['apiVersion', 'text'], 2: ['kind', 'text'] };

/** Reads an object that kubectl encoded as protobuf. Only kinds kubectl itself makes are known; others are refused with 501. */
export function decodeProtobuf(body: Uint8Array): object {
  if (MAGIC.some((byte, index) => body[index] !== byte))
    throw badRequest('provided data does not appear to be a protobuf message');
  const envelope = readFields(body.subarray(MAGIC.length));
  const type = readMessage(bytesOf(envelope.find(({ number }) => number === 1)), TYPE_META);
  const kind = String(type['kind']);
  const message = KINDS[kind];
  if (message === undefined) throw notImplemented(`objects of kind ${kind} are read as JSON, not as protobuf`);
  return { ...type, ...readMessage(bytesOf(envelope.find(({ number }) => number === 2)), message) };
}

interface WireField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

function bytesOf(field: WireField | undefined): Uint8Array {
  return field !== undefined && typeof field.value !== 'number' ? field.value : new Uint8Array();
}

function readFields(bytes: Uint8Array): readonly WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw badRequest('the protobuf message ends too early');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    if (key % 8 === 0) fields.push({ number, value: varint() });
    else if (key % 8 === 2) {
      const length = varint();
      fields.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw notImplemented('a protobuf field of fixed width is not read');
  }
  return fields;
}

function readMessage(bytes: Uint8Array, message: Message): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const { number, value } of readFields(bytes)) {
    const known = message[number];
    if (known === undefined) continue;
    const [name, type] = known;
    result[name] = typeof value === 'number' ? scalar(value, type) : readField(value, type, result[name]);
  }
  return result;
}

function scalar(value: number, type: Field[1]): unknown {
  return type === 'bool' ? value !== 0 : value;
}

function readField(value: Uint8Array, type: Field[1], before: unknown): unknown {
  if (type === 'map' || type === 'bytesMap') return withEntry(before, value, type);
  const list: readonly unknown[] = Array.isArray(before) ? before : [];
  if (type === 'texts') return [...list, text(value)];
  if (isRepeated(type)) return [...list, readMessage(value, type[0])];
  return typeof type === 'object' ? readMessage(value, type) : text(value);
}

function withEntry(before: unknown, entry: Uint8Array, type: 'map' | 'bytesMap'): object {
  const fields = readFields(entry);
  const [key, value] = [1, 2].map((wanted) => bytesOf(fields.find(({ number }) => number === wanted)));
  const map = { ...(isRecord(before) ? before : {}) };
  const bytes = value ?? new Uint8Array();
  setOwn(map, text(key ?? new Uint8Array()), type === 'map' ? text(bytes) : Buffer.from(bytes).toString('base64'));
  return map;
}

function isRepeated(type: Field[1]): type is readonly [Message] {
  return Array.isArray(type);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
