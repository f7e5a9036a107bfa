interface Node {
  readonly key: string;
  readonly rank: number;
  readonly order: number;
}

/**
 * A priority queue in which each key stands once, under the lowest rank it was ever offered with. Equal ranks come out in the
 * order they went in. Adding and taking cost the logarithm of the size.
 */
export class KeyedHeap {
  /** A binary heap. A node that {@link #current} no longer names was outranked or removed and is skipped when it surfaces. */
  #nodes: Node[] = [];
  readonly #current = new Map<string, Node>();
  #order = 0;

  get size(): number {
    return this.#current.size;
  }

  /** Adds a key, or moves it forward. A rank that is not lower than its present one changes nothing. */
  offer(key: string, rank: number): void {
    const present = this.#current.get(key);
    if (present !== undefined && present.rank <= rank) return;
    const node: Node = { key, rank, order: this.#order++ };
    this.#current.set(key, node);
    this.#nodes.push(node);
    this.#up(this.#nodes.length - 1);
    if (this.#nodes.length > 2 * this.#current.size + 16) this.#rebuild();
  }

  /** The key of lowest rank, left in place. */
  peek(): { readonly key: string; readonly rank: number } | undefined {
    for (let top = this.#nodes[0]; top !== undefined; top = this.#nodes[0]) {
      if (this.#current.get(top.key) === top) return top;
      this.#removeTop();
    }
    return undefined;
  }

  /** Removes and returns the key of lowest rank. */
  take(): string | undefined {
    const top = this.peek();
    if (top === undefined) return undefined;
    this.#removeTop();
    this.#current.delete(top.key);
    return top.key;
  }

  /** Takes a key out wherever it stands; without effect where it does not. */
  remove(key: string): void {
    this.#current.delete(key);
    if (this.#nodes.length > 2 * this.#current.size + 16) this.#rebuild();
  }

  clear(): void {
    this.#nodes = [];
    this.#current.clear();
  }

  #removeTop(): void {
    const last = this.#nodes.pop();
    if (last === undefined || this.#nodes.length === 0) return;
    this.#nodes[0] = last;
    this.#down(0);
  }

  #up(from: number): void {
    let child = from;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfBefore(child, parent)) return;
      child = parent;
    }
  }

  #down(from: number): void {
    let parent = from;
    for (;;) {
      const left = 2 * parent + 1;
      const child = this.#before(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(child, parent)) return;
      parent = child;
    }
  }

  /** Swaps two places when the node at `child` comes before the one at `parent`. */
  #swapIfBefore(child: number, parent: number): boolean {
    const [a, b] = [this.#nodes[child], this.#nodes[parent]];
    if (a === undefined || b === undefined || !this.#before(child, parent)) return false;
    this.#nodes[child] = b;
    this.#nodes[parent] = a;
    return true;
  }

  #before(left: number, right: number): boolean {
    const [a, b] = [this.#nodes[left], this.#nodes[right]];
    if (a === undefined || b === undefined) return false;
    return a.rank < b.rank || (a.rank === b.rank && a.order < b.order);
  }

  /** A sorted array is a heap. Keeps outranked nodes from piling up when one key is moved forward again and again. */
  #rebuild(): void {
    this.#nodes = [...this.#current.values()].toSorted((a, b) => a.rank - b.rank || a.order - b.order);
  }
}
