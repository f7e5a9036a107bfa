import type { Drift } from '../base/drift.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { refOf } from '../base/resource.ts';
import { type Comparison, type Difference, differences } from './compare.ts';
import { appliedFields, managerOf, superfluousFields, unownedFields } from './managed-fields.ts';
import { placeOf, pointerTo, type Segments } from './pointer-pattern.ts';

/** Everything that keeps a child from being as desired. */
export interface Deviation {
  /** Values that differ. */
  readonly values: readonly Difference[];
  /** Desired places that another manager has taken over. */
  readonly unowned: readonly Difference[];
  /** Places of ours that are no longer desired. */
  readonly superfluous: readonly Difference[];
}

/** Compares a child with what is desired of it; `undefined` when nothing is to be done. */
export function deviationOf(
  desired: Manifest,
  live: Unstructured,
  options: { readonly comparison: Comparison; readonly manager: string },
): Deviation | undefined {
  const owned = appliedFields(live, options.manager);
  const values = [...differences(desired, live, options.comparison, owned)];
  const unowned = owned === undefined ? [] : unownedFields(owned, desired, live);
  const superfluous = owned === undefined ? [] : superfluousFields(owned, desired, live);
  if (values.length + unowned.length + superfluous.length === 0) return undefined;
  return { values, unowned, superfluous };
}

/**
 * The part of a deviation that somebody else brought about. The same intent as before means that every differing value is. After a
 * restart nothing is known of before, and only what another manager has taken over is.
 *
 * @param sameIntent whether the desired state is what it was when the child was last seen; `undefined` when nothing is known
 */
export function driftOf(
  { values, unowned }: Deviation,
  live: Unstructured,
  sameIntent: boolean | undefined,
): readonly Drift[] {
  if (sameIntent === false) return [];
  const foreign =
    sameIntent === true ? values : values.filter(({ place }) => unowned.some((lost) => isWithin(place, lost.place)));
  // A whole that was taken over is told of by its differing parts, where there are any.
  const wholes = unowned.filter((lost) => !foreign.some(({ place }) => isWithin(place, lost.place)));
  const ref = refOf(live);
  return [...foreign, ...wholes].map(({ place, want, have }) => {
    const manager = managerOf(live, place);
    return { ref, pointer: pointerTo(place), want, have, ...(manager === undefined ? {} : { manager }) };
  });
}

/** The drift with the manager of each place filled in as the live object tells; our own entry is about what we have lost. */
export function withManagers(drift: readonly Drift[], live: Unstructured, own: string): readonly Drift[] {
  return drift.map((one) => {
    const manager = one.manager ?? managerOf(live, placeOf(one.pointer));
    return manager === undefined || manager === own ? one : { ...one, manager };
  });
}

function isWithin(place: Segments, whole: Segments): boolean {
  return whole.every((segment, index) => place[index] === segment);
}
