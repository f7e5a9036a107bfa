import type { Gauge } from '../base/metrics.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, formatRef, keyOf, type Ref, refOf } from '../base/resource.ts';
import type { Pass } from './pass.ts';
import { isOwnedBy, OWNER_INDEX, ownerIndexValue, STEP_LABEL } from './ownership.ts';

/** A child of a step that this version does not have. */
interface Orphan {
  readonly ref: Ref;
  /** Name of the step that made it. */
  readonly step: string;
}

/** Orphans named in one message. */
const NAMED = 3;

/**
 * Knows of children that a step of an earlier version made and no step of this one keeps. They are told of and left: a step that is
 * given up is to stay as a retired one for as long as it may have left something.
 */
export class Orphans {
  readonly #kind: string;
  readonly #gauge: Gauge;
  readonly #byKey = new Map<string, readonly Orphan[]>();

  constructor(kind: string, gauge: Gauge) {
    this.#kind = kind;
    this.#gauge = gauge;
  }

  /**
   * The orphans of a pass's object in the words of a condition, `undefined` where there are none. They are looked for only after a pass
   * that sent nothing, since the caches then show what the passes before have made of the children.
   */
  words(pass: Pass, isQuiet: boolean): string | undefined {
    const key = formatKey(pass.request.key);
    if (isQuiet) {
      this.#byKey.set(key, orphansOf(pass));
      this.#show();
    }
    return describeOrphans(this.#byKey.get(key) ?? []);
  }

  /** Drops what is known of an object that is gone. */
  forget(key: string): void {
    if (this.#byKey.delete(key)) this.#show();
  }

  #show(): void {
    const count = [...this.#byKey.values()].reduce((sum, orphans) => sum + orphans.length, 0);
    this.#gauge.set(count, { kind: this.#kind });
  }
}

/** As the caches have them. */
function orphansOf({ slice, pipeline, cached, deps }: Pass): readonly Orphan[] {
  const known = new Set(pipeline.steps.map((step) => step.name));
  const owner = ownerIndexValue({ kind: cached.kind, ...keyOf(cached) });
  const owned = slice.indexes.filter(({ name }) => name === OWNER_INDEX);
  const children = owned.flatMap(({ type }) => deps.lookup.byIndex<Unstructured>(type, OWNER_INDEX, owner));
  return children.flatMap((child) => {
    const step = child.metadata.labels?.[STEP_LABEL];
    return step === undefined || known.has(step) || !isOwnedBy(child, cached) ? [] : [{ ref: refOf(child), step }];
  });
}

function describeOrphans(orphans: readonly Orphan[]): string | undefined {
  if (orphans.length === 0) return undefined;
  const named = orphans.slice(0, NAMED).map(({ ref, step }) => `${formatRef(ref)} (${step})`);
  const more = orphans.length > NAMED ? ` and ${orphans.length - NAMED} more` : '';
  return `steps that this version does not have left ${named.join(', ')}${more}`;
}
