import { isRecord, jsonEqual } from '../../src/base/json.ts';

/** Leaves of an object by JSON pointer: scalars, lists, selectors and empty maps, which the memory API treats as atomic. */
export type Leaves = ReadonlyMap<string, unknown>;

/** One manager's fields in the memory API. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly leaves: ReadonlySet<string>;
}

const ATOMIC: ReadonlySet<string> = new Set(['podSelector', 'namespaceSelector', 'roleRef']);
const UNTRACKED = /^\/(apiVersion|kind|status|metadata\/(?!labels|annotations|finalizers|ownerReferences))/;

/** The tracked leaves of an object or manifest. */
export function leavesOf(object: object): Leaves {
  const leaves = new Map<string, unknown>();
  const walk = (value: unknown, pointer: string, name: string): void => {
    if (isRecord(value) && !ATOMIC.has(name) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined && member !== null) walk(member, `${pointer}/${escape(key)}`, key);
      }
    } else leaves.set(pointer, value);
  };
  walk(object, '', '');
  for (const pointer of leaves.keys()) if (UNTRACKED.test(pointer)) leaves.delete(pointer);
  return leaves;
}

/** Owners after `manager` wrote `after` over `before` without apply: what changed is its own alone. */
export function ownersAfterUpdate(
  owners: readonly FieldOwner[],
  manager: string,
  before: object,
  after: object,
): readonly FieldOwner[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const changed = new Set([...now].filter(([pointer, value]) => !jsonEqual(old.get(pointer), value)).map(([p]) => p));
  const gone = new Set([...old.keys()].filter((pointer) => !now.has(pointer)));
  const own = owners.find((owner) => owner.manager === manager && owner.operation === 'Update');
  const kept = owners
    .filter((owner) => owner !== own)
    .map((owner) => ({ ...owner, leaves: minus(owner.leaves, changed, gone) }));
  const mine = new Set([...minus(own?.leaves ?? new Set(), gone), ...changed]);
  return [...kept, { manager, operation: 'Update' as const, leaves: mine }].filter(({ leaves }) => leaves.size > 0);
}

/** Owners after a forced apply, and the leaves that it drops because nobody owns them any more. */
export function ownersAfterApply(
  owners: readonly FieldOwner[],
  manager: string,
  live: object,
  manifest: object,
): { readonly owners: readonly FieldOwner[]; readonly dropped: ReadonlySet<string> } {
  const have = leavesOf(live);
  const want = leavesOf(manifest);
  const own = owners.find((owner) => owner.manager === manager && owner.operation === 'Apply');
  const taken = new Set([...want].filter(([pointer, value]) => !jsonEqual(have.get(pointer), value)).map(([p]) => p));
  const others = owners
    .filter((owner) => owner !== own)
    .map((owner) => ({ ...owner, leaves: minus(owner.leaves, taken) }))
    .filter(({ leaves }) => leaves.size > 0);
  const dropped = new Set(
    [...(own?.leaves ?? [])].filter((p) => !want.has(p) && !others.some(({ leaves }) => leaves.has(p))),
  );
  return { owners: [...others, { manager, operation: 'Apply', leaves: new Set(want.keys()) }], dropped };
}

/** managedFields as the API server spells them. */
export function toManagedFields(owners: readonly FieldOwner[]): readonly object[] {
  return owners.map(({ manager, operation, leaves }) => {
    const fieldsV1: Record<string, unknown> = {};
    for (const pointer of leaves) {
      let node = fieldsV1;
      for (const segment of pointer.split('/').slice(1)) {
        const key = `f:${segment.replaceAll('~1', '/').replaceAll('~0', '~')}`;
        const next = node[key];
        const child: Record<string, unknown> = isRecord(next) ? { ...next } : {};
        node[key] = child;
        node = child;
      }
    }
    return { manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
  });
}

function minus(from: ReadonlySet<string>, ...sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...from].filter((item) => !sets.some((set) => set.has(item))));
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
