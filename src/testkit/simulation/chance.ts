import { invariant } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';

/** Draws from a seed. */
export class Chance {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True so often. */
  happens(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** Uniform in [0, 1). */
  fraction(): number {
    return this.#random.next();
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1));
  }

  /** One of some things; `undefined` of none. */
  oneOf<Thing>(things: readonly Thing[]): Thing | undefined {
    return things[Math.floor(this.#random.next() * things.length)];
  }

  /** One of the named things, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const rows = Object.entries<number>(weights);
    let left = this.#random.next() * rows.reduce((sum, [, weight]) => sum + weight, 0);
    const found = rows.find(([, weight]) => (left -= weight) < 0) ?? rows.at(-1);
    invariant(found !== undefined, 'there is something to draw from');
    // A name of the record, which Object.entries gives as any text.
    return found[0] as Name;
  }
}
