/**
 * A copy without members that the API server would not keep either: `undefined` and empty lists. Empty objects stay, since an
 * empty selector means everything. Only the object itself is looked at, not what its members hold.
 */
export function withoutEmpty<T extends object>(value: T): Partial<T> {
  const kept = Object.entries(value).filter(
    ([, member]) => member !== undefined && !(Array.isArray(member) && member.length === 0),
  );
  // The entries are those of the value itself; fromEntries cannot know.
  return Object.fromEntries(kept) as Partial<T>;
}
