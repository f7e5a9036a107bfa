/**
 * Runs `work` for each item, at most `limit` at a time, in order of the items. An item that fails does not keep the others from
 * their turn; when all are done, the failure of the first failed item is thrown. An aborted signal starts no further item.
 */
export async function forEachBounded<Item, Result>(
  items: readonly Item[],
  options: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const failures = new Map<number, unknown>();
  const pending = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of pending) {
      if (options.signal.aborted) failures.set(index, options.signal.reason);
      else {
        try {
          results.set(index, await work(item));
        } catch (error) {
          failures.set(index, error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.limit, items.length) }, worker));
  const first = [...failures.keys()].toSorted((left, right) => left - right)[0];
  if (first !== undefined) throw failures.get(first);
  return [...results.entries()].toSorted(([left], [right]) => left - right).map(([, result]) => result);
}
