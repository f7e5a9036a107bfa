import type { Manifest } from '../../base/object.ts';
import { keyOf } from '../../base/resource.ts';
import { SUSPEND_ANNOTATION } from '../../steps/reconciler.ts';
import type { Kind } from '../../sdk/kind.ts';
import { nameOf } from '../comparable-content.ts';
import type { Chance } from './chance.ts';
import type { Act, Deed } from './scenario.ts';
import type { Setting } from './setting.ts';
import { SpecEdits, wordsIn } from './spec-edits.ts';
import { isOf, samplesOf, specSchema, twinOf, validEdit, withSpec } from './workload.ts';

/** Asks for a pass at once. */
const REQUESTED_ANNOTATION = 'homeostat.io/requested-at';

/** How often people do what, once the objects are there. */
const WEIGHTS = {
  edit: 10,
  spoil: 1,
  revert: 2,
  delete: 2,
  recreate: 2,
  suspend: 2,
  request: 1,
  report: 2,
  dependency: 4,
  meddle: 6,
} as const;

/** Draws the acts of one scenario, and keeps in mind what was applied. */
export class Acts {
  readonly #setting: Setting;
  readonly #chance: Chance;
  readonly #edits: SpecEdits;
  /** Where nothing is kept in Vault, nobody meddles there, and no simulation waits for the look that finds it. */
  readonly #hasVault: boolean;
  readonly #acts: Act[] = [];
  #nowMs = 0;

  constructor(setting: Setting, chance: Chance, hasVault: boolean, editing = chance) {
    this.#setting = setting;
    this.#chance = chance;
    this.#hasVault = hasVault;
    this.#edits = new SpecEdits(editing, wordsIn(setting.kinds.flatMap(({ samples }) => samples)));
  }

  /** The objects come, and then people change their minds. */
  draw(): readonly Act[] {
    const { kinds, subject } = this.#setting;
    const chance = this.#chance;
    const given = samplesOf(kinds);
    const own = given.filter((object) => isOf(object, subject)).map((object) => this.#chosen(object));
    const [twin] = chance.happens(0.3) ? own.map((object) => twinOf(object, 'twin')) : [];
    const squatter = chance.happens(1 / 6) ? chance.oneOf(this.#setting.squatters) : undefined;
    const ordered = given.map((object) => own.find((chosen) => nameOf(chosen) === nameOf(object)) ?? object);
    for (const manifest of [...ordered, ...(twin === undefined ? [] : [twin])]) {
      if (manifest === own[0] && squatter !== undefined) this.#apply(squatter, 10);
      this.#apply(manifest, chance.between(20, 200));
    }
    const known = this.#othersIn(given);
    const target = chance.oneOf(twin === undefined ? own : [...own, twin]);
    if (target === undefined) return this.#acts;
    const history = [target];
    for (let left = chance.between(0, chance.happens(0.5) ? 3 : 9); left > 0; left--) this.#step(history, known);
    if (chance.happens(0.2)) this.#act({ type: 'delete', target: subject.type, key: keyOf(target) }, 2000);
    if (squatter !== undefined && chance.happens(0.5)) this.#remove(squatter);
    return this.#acts;
  }

  /** One or two things, at samples that are there. */
  drawFew(): readonly Act[] {
    const { kinds, subject } = this.#setting;
    const given = samplesOf(kinds);
    const target = this.#chance.oneOf(given.filter((object) => isOf(object, subject)));
    if (target === undefined) return [];
    const known = this.#othersIn(given);
    const history = [target];
    for (let left = this.#chance.between(1, 2); left > 0; left--) this.#step(history, known);
    return this.#acts;
  }

  /** Those of the other kinds that are served. */
  #othersIn(given: readonly Manifest[]): readonly Manifest[] {
    const others = this.#setting.kinds.filter((kind) => kind !== this.#setting.subject);
    return given.filter((object) => others.some((kind) => isOf(object, kind)));
  }

  #step(history: Manifest[], others: readonly Manifest[]): void {
    const { subject } = this.#setting;
    const chance = this.#chance;
    const current = history.at(-1);
    if (current === undefined) return;
    const pauseMs = chance.oneOf([10, 60, 200, 2000, 8000]) ?? 200;
    const object = { target: subject.type, key: keyOf(current) };
    const apply = (manifest: Manifest): void => {
      history.push(manifest);
      this.#act({ type: 'apply', manifest, bypass: chance.happens(0.1) }, pauseMs);
    };
    switch (chance.weighted(WEIGHTS)) {
      case 'edit':
        return apply(this.#edited(current, subject));
      case 'spoil':
        return apply(this.#spoiled(current, subject));
      case 'revert':
        return apply(chance.oneOf(history) ?? current);
      case 'delete':
        return this.#act({ type: 'delete', ...object }, pauseMs);
      case 'recreate':
        this.#act({ type: 'delete', ...object }, pauseMs);
        return apply(current);
      case 'suspend':
        this.#act({ type: 'annotate', ...object, annotations: { [SUSPEND_ANNOTATION]: 'true' } }, pauseMs);
        if (chance.happens(0.7)) {
          this.#act({ type: 'annotate', ...object, annotations: { [SUSPEND_ANNOTATION]: '' } }, 3000);
        }
        return;
      case 'request':
        return this.#act(
          { type: 'annotate', ...object, annotations: { [REQUESTED_ANNOTATION]: String(this.#nowMs) } },
          pauseMs,
        );
      case 'report':
        return this.#act({ type: 'report', ...object }, pauseMs);
      case 'dependency':
        return this.#dependency(others, pauseMs);
      case 'meddle':
        return this.#meddle(pauseMs);
    }
  }

  /** The same with its choices drawn, in one of three scenarios. */
  #chosen(manifest: Manifest): Manifest {
    const { subject } = this.#setting;
    if (!this.#chance.happens(1 / 3)) return manifest;
    const chosen = withSpec(manifest, this.#edits.choose(specSchema(subject), manifest['spec']));
    return subject.schema.violations(subject.schema.prepare(chosen)).length === 0 ? chosen : manifest;
  }

  #apply(manifest: Manifest, pauseMs: number): void {
    this.#act({ type: 'apply', manifest, bypass: false }, pauseMs);
  }

  /** Somebody takes away what stood in the way. */
  #remove(squatter: Manifest): void {
    const target = this.#setting.types.find(({ kind }) => kind === squatter.kind);
    if (target !== undefined) this.#act({ type: 'delete', target, key: keyOf(squatter) }, 200);
  }

  #dependency(others: readonly Manifest[], pauseMs: number): void {
    const other = this.#chance.oneOf(others);
    const kind = this.#setting.kinds.find((known) => other !== undefined && isOf(other, known));
    if (other === undefined || kind === undefined) return;
    if (this.#chance.happens(0.3)) this.#act({ type: 'delete', target: kind.type, key: keyOf(other) }, pauseMs);
    else this.#act({ type: 'apply', manifest: this.#edited(other, kind, 0.5), bypass: false }, pauseMs);
    // What others refer to comes back in the end as often as not.
    if (this.#chance.happens(0.6)) this.#act({ type: 'apply', manifest: other, bypass: false }, pauseMs);
  }

  #meddle(pauseMs: number): void {
    const pick = this.#chance.fraction();
    const how =
      this.#chance.oneOf(['delete', 'delete', 'change', 'change', 'unlabel', 'annotate', 'hold'] as const) ?? 'delete';
    if (this.#chance.happens(this.#hasVault ? 0.6 : 1)) this.#act({ type: 'meddle', pick, how }, pauseMs);
    else this.#act({ type: 'meddleVault', pick, how: how === 'delete' ? 'remove' : 'change' }, pauseMs);
  }

  #edited(manifest: Manifest, kind: Kind, choosing?: number): Manifest {
    return validEdit(manifest, kind, (schema, spec) => this.#edits.edit(schema, spec, choosing));
  }

  #spoiled(manifest: Manifest, kind: Kind): Manifest {
    return withSpec(manifest, this.#edits.spoil(specSchema(kind), manifest['spec']));
  }

  #act(deed: Deed, pauseMs: number): void {
    this.#nowMs += pauseMs;
    this.#acts.push({ ...deed, atMs: this.#nowMs });
  }
}
