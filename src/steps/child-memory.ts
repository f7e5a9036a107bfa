import { hash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';

/** Applies in a row that changed nothing, after which a child is left alone (idea: openshift/hypershift#543). */
const NOOP_LIMIT = 3;

interface Memory {
  readonly intent: string;
  /** Applies of this intent in a row that left the resourceVersion as it was. */
  noops: number;
  /** The resourceVersion that no apply of this intent moves. */
  stuckAt: string | undefined;
}

/**
 * What this process last wanted of each child. It tells drift (the intent is the same, the child is not) from a new intent, and
 * finds applies that never change anything. Losing it, as at a restart, costs that knowledge and nothing else.
 */
export class ChildMemory {
  readonly #owners = new Map<string, Map<string, Memory>>();

  /** Tells whether this is what was wanted before; `undefined` when nothing is known of the child. */
  isSameIntent(owner: string, child: string, intent: string): boolean | undefined {
    const known = this.#owners.get(owner)?.get(child);
    return known === undefined ? undefined : known.intent === intent;
  }

  /** Tells whether sending this intent to this version has been found to change nothing. */
  isStuck(owner: string, child: string, intent: string, resourceVersion: string): boolean {
    const known = this.#owners.get(owner)?.get(child);
    return known?.intent === intent && known.stuckAt === resourceVersion;
  }

  /** Remembers an intent that the child already fulfils. */
  settled(owner: string, child: string, intent: () => string): void {
    if (this.#owners.get(owner)?.has(child) === true) return;
    this.#set(owner, child, { intent: intent(), noops: 0, stuckAt: undefined });
  }

  /**
   * Remembers an apply. `unmoved` is the resourceVersion when the apply left it as it was; returns true when that was once too
   * often, so that somebody can be told.
   */
  applied(owner: string, child: string, intent: string, unmoved: string | undefined): boolean {
    const known = this.#owners.get(owner)?.get(child);
    const noops = unmoved === undefined ? 0 : (known?.intent === intent ? known.noops : 0) + 1;
    const stuckAt = noops >= NOOP_LIMIT ? unmoved : undefined;
    this.#set(owner, child, { intent, noops, stuckAt });
    return stuckAt !== undefined;
  }

  /** Drops one child that is no longer wanted. */
  forgetChild(owner: string, child: string): void {
    this.#owners.get(owner)?.delete(child);
  }

  /** Drops everything about an owner that is gone. */
  forget(owner: string): void {
    this.#owners.delete(owner);
  }

  #set(owner: string, child: string, memory: Memory): void {
    const children = this.#owners.get(owner) ?? new Map<string, Memory>();
    children.set(child, memory);
    this.#owners.set(owner, children);
  }
}

/** A short stand-in for a manifest, equal for equal content whatever the order of its members. */
export function intentOf(manifest: Manifest): string {
  return hash('sha256', canonicalJson(manifest), 'base64url');
}
