import { isRecord } from '../../base/json.ts';
import type { Manifest } from '../../base/object.ts';
import { keyOf, type ObjectKey, type ResourceType } from '../../base/resource.ts';
import type { Kind } from '../../sdk/kind.ts';
import { SUSPEND_ANNOTATION } from '../../steps/reconciler.ts';
import { nameOf } from '../comparable-content.ts';
import { seededRandom } from '../seeded-random.ts';
import { Chance } from './chance.ts';
import type { Act, Deed, NthRequest, Plan, PlannedFault } from './scenario.ts';
import type { Setting } from './setting.ts';
import { SpecEdits, wordsIn } from './spec-edits.ts';
import { isOf, samplesOf, twinOf, validEdit, withSpec } from './workload.ts';

/** What a sequel depends on. */
export interface SequelScope {
  readonly seed: number;
  readonly replicas: number;
  /** Whether the kinds keep something outside the cluster. */
  readonly hasVault: boolean;
  /** What people did before. @defaultValue nothing, and all that the samples ask for is there */
  readonly acts?: readonly Act[];
  /** Draws the changes of specs. @defaultValue the sequel's own */
  readonly editing?: Chance;
}

/** What is told in a sequel, and how often. */
const STORIES = {
  edit: 4,
  shrink: 4,
  dependency: 16,
  refer: 3,
  removal: 3,
  shortLife: 5,
  leaseLoss: 5,
  stop: 5,
  refused: 5,
  rival: 3,
  drift: 6,
} as const;

/** Longer than the service needs to make everything that the samples ask for. */
const ENOUGH_MS = 6000;

/** Requests that follow one act are in this range, and the first of them, among which most of it is done. */
const LATEST_REQUEST = 12;
const FIRST_REQUESTS = 4;

/** What the path of every apply holds, and about how many children an object has. */
const APPLY = 'force=true';
const MOST_CHILDREN = 8;

/** Longer than a Lease that is not renewed can be relied on, and longer than others respect it. */
const LEASELESS_MS = 15_000;
const STANDSTILL_MS = 20_000;

/**
 * Draws what follows when all is as it should be: one change, seen alone, or one fault that strikes a pass at work. It has its own chance,
 * so that what comes before does not depend on it.
 */
export function drawSequel(setting: Setting, scope: SequelScope): Plan {
  const chance = new Chance(seededRandom(Math.imul(scope.seed + 1, 0xc2b2_ae35) + 1));
  return new Sequel(setting, scope, chance).draw();
}

class Sequel {
  readonly #setting: Setting;
  readonly #scope: SequelScope;
  readonly #chance: Chance;
  readonly #edits: SpecEdits;
  readonly #acts: Act[] = [];
  readonly #faults: PlannedFault[] = [];
  #nowMs = 0;

  constructor(setting: Setting, scope: SequelScope, chance: Chance) {
    this.#setting = setting;
    this.#scope = scope;
    this.#chance = chance;
    this.#edits = new SpecEdits(scope.editing ?? chance, wordsIn(setting.kinds.flatMap(({ samples }) => samples)));
  }

  draw(): Plan {
    const { kinds, subject } = this.#setting;
    const samples = samplesOf(kinds);
    const { acts } = this.#scope;
    const ready = acts === undefined ? samples : this.#restored(samples, acts);
    const target = this.#chance.oneOf(ready.filter((object) => isOf(object, subject)));
    if (target !== undefined) {
      if (acts !== undefined) this.#release(target);
      this.#tell(target, ready);
    }
    return { acts: this.#acts, faults: this.#faults };
  }

  /** Everything is there again, one or the other as it was applied last. */
  #restored(samples: readonly Manifest[], acts: readonly Act[]): readonly Manifest[] {
    const { subject } = this.#setting;
    const ready = samples.map((sample) =>
      isOf(sample, subject) && this.#chance.happens(0.3) ? latestOf(sample, acts) : sample,
    );
    for (const manifest of ready) this.#apply(manifest, 50);
    return ready;
  }

  /** It is not suspended any more, and what there was to do for it is done. */
  #release(target: Manifest): void {
    const annotations = { [SUSPEND_ANNOTATION]: '' };
    this.#act({ type: 'annotate', target: this.#setting.subject.type, key: keyOf(target), annotations }, 50);
    this.#nowMs += ENOUGH_MS;
  }

  #tell(target: Manifest, all: readonly Manifest[]): void {
    const { subject } = this.#setting;
    const chance = this.#chance;
    const others = all.flatMap((object) => {
      const kind = this.#setting.kinds.find((known) => known !== subject && isOf(object, known));
      return kind === undefined ? [] : [{ object, kind }];
    });
    const dependency = chance.oneOf(others);
    switch (chance.weighted(STORIES)) {
      case 'edit':
        return this.#apply(this.#edited(target, subject), 0);
      case 'shrink':
        return this.#apply(this.#shrunk(target, subject), 0);
      case 'dependency':
        return dependency === undefined
          ? this.#apply(this.#shrunk(target, subject), 0)
          : this.#changeDependency(dependency.object, dependency.kind);
      case 'refer':
        return dependency === undefined
          ? this.#apply(this.#edited(target, subject), 0)
          : this.#referElsewhere(target, dependency.object);
      case 'removal':
        return this.#removeInTrouble(subject.type, keyOf(target));
      case 'shortLife':
        return this.#liveShortly(subject.type, lateTwinOf(target));
      case 'leaseLoss': {
        const standsStill = this.#scope.replicas > 1 && chance.happens(0.7);
        return this.#strike(target, (request) =>
          standsStill
            ? { type: 'standstill', ...request, forMs: STANDSTILL_MS }
            : { type: 'lostLease', ...request, forMs: LEASELESS_MS },
        );
      }
      case 'stop':
        return this.#strike(target, (request) => ({ type: 'stopAt', ...request, downMs: 1000, delayMs: 2000 }));
      case 'refused':
        return this.#refuse(target);
      case 'rival':
        return this.#rivalChild(target);
      case 'drift':
        return this.#meddle(0);
    }
  }

  /** Something that others refer to changes or goes; sometimes it comes back. */
  #changeDependency(object: Manifest, kind: Kind): void {
    const chance = this.#chance;
    const isDeleted = chance.happens(0.2);
    if (isDeleted) this.#act({ type: 'delete', target: kind.type, key: keyOf(object) }, 0);
    else this.#apply(this.#changed(object, kind), 0);
    if (chance.happens(isDeleted ? 0.5 : 0.1)) this.#apply(object, ENOUGH_MS);
  }

  /** Another object like the one that the target refers to, and the target refers to that one, instead or as well. */
  #referElsewhere(target: Manifest, object: Manifest): void {
    const chance = this.#chance;
    const twin = lateTwinOf(object);
    this.#apply(twin, 0);
    const [from, to] = [object.metadata.name, twin.metadata.name];
    const both = withSpec(target, withAnother(target['spec'], from, to));
    const other = withSpec(target, withOther(target['spec'], from, to));
    if (chance.happens(0.5)) this.#apply(both, ENOUGH_MS);
    this.#apply(chance.happens(0.7) ? other : target, ENOUGH_MS);
  }

  /** It is deleted at the wrong moment. */
  #removeInTrouble(target: ResourceType, key: ObjectKey): void {
    const chance = this.#chance;
    if (this.#scope.hasVault && chance.happens(0.7)) {
      const how = chance.oneOf(['sealed', 'unreachable', 'slow', 'limited', 'denied'] as const) ?? 'sealed';
      this.#faults.push({ type: 'vault', atMs: Math.max(0, this.#nowMs - 50), forMs: 12_000, how });
    } else this.#act({ type: 'meddle', pick: 0, how: 'disown' }, 0);
    this.#act({ type: 'delete', target, key }, 10);
    // What cleans up is a child too.
    if (chance.happens(0.3)) this.#meddle(chance.between(50, 1500));
  }

  /** Somebody changes what the service keeps. */
  #meddle(pauseMs: number): void {
    const how = this.#chance.oneOf(['change', 'change', 'change', 'delete', 'unlabel'] as const) ?? 'change';
    this.#act({ type: 'meddle', pick: this.#chance.fraction(), how }, pauseMs);
  }

  /** It is made, the process that works at it is killed, and it is deleted before the next one looks. */
  #liveShortly(target: ResourceType, manifest: Manifest): void {
    const chance = this.#chance;
    const when = chance.happens(0.5) ? 'before' : 'after';
    this.#everywhere(this.#requestFor(manifest), (request) => ({
      type: 'crash',
      ...request,
      when,
      downMs: 4000,
    }));
    this.#apply(manifest, 0);
    if (chance.happens(0.5)) this.#act({ type: 'meddle', pick: 0, how: 'disown' }, 2000);
    this.#act({ type: 'delete', target, key: keyOf(manifest) }, 1000);
  }

  /** Something happens to a pass in which there is something to do; a new object gives the longest. */
  #strike(target: Manifest, fault: (request: NthRequest) => PlannedFault): void {
    const { subject } = this.#setting;
    const isNew = this.#chance.happens(0.6);
    const manifest = isNew ? lateTwinOf(target) : this.#changed(target, subject);
    this.#everywhere(this.#requestFor(manifest), fault);
    this.#apply(manifest, 0);
  }

  /** A write is not taken, or a right is missing; neither is tried again soon. */
  #refuse(target: Manifest): void {
    const code = this.#chance.happens(0.5) ? 422 : 403;
    this.#strike(target, (request) => ({ type: 'refused', ...request, code, times: 1 }));
  }

  /** Somebody changes a child while the answer to what makes it is on its way. */
  #rivalChild(target: Manifest): void {
    const request = { nth: this.#chance.between(1, MOST_CHILDREN), sinceMs: this.#nowMs, about: APPLY };
    const pick = this.#chance.fraction();
    this.#everywhere(request, (of) => ({ type: 'rival', ...of, how: 'change', pick, when: 'after' }));
    this.#apply(lateTwinOf(target), 0);
  }

  /** Whichever replica works then. */
  #everywhere(request: Omit<NthRequest, 'replica'>, fault: (request: NthRequest) => PlannedFault): void {
    for (let replica = 0; replica < this.#scope.replicas; replica++) this.#faults.push(fault({ replica, ...request }));
  }

  /** A request after what is done next; between the first status of an object and the next one lies nearly all that is done for it. */
  #requestFor({ metadata }: Manifest): Omit<NthRequest, 'replica'> {
    const chance = this.#chance;
    const sinceMs = this.#nowMs;
    const about = `/${this.#setting.subject.type.plural}/${metadata.name}/status`;
    if (chance.happens(0.5)) return { nth: chance.between(1, 2), sinceMs, about };
    return { nth: chance.between(1, chance.happens(0.5) ? FIRST_REQUESTS : LATEST_REQUEST), sinceMs };
  }

  #changed(manifest: Manifest, kind: Kind): Manifest {
    return this.#chance.happens(0.4) ? this.#shrunk(manifest, kind) : this.#edited(manifest, kind);
  }

  #edited(manifest: Manifest, kind: Kind): Manifest {
    return validEdit(manifest, kind, (schema, spec) => {
      const exchanged = this.#chance.happens(0.4) ? this.#edits.exchange(schema, spec) : undefined;
      return exchanged ?? this.#edits.edit(schema, spec, 0.4);
    });
  }

  #shrunk(manifest: Manifest, kind: Kind): Manifest {
    return validEdit(manifest, kind, (schema, spec) => this.#edits.shrink(schema, spec));
  }

  #apply(manifest: Manifest, pauseMs: number): void {
    this.#act({ type: 'apply', manifest, bypass: false }, pauseMs);
  }

  #act(deed: Deed, pauseMs: number): void {
    this.#nowMs += pauseMs;
    this.#acts.push({ ...deed, atMs: this.#nowMs });
  }
}

/** An object as it was applied last. */
function latestOf(sample: Manifest, acts: readonly Act[]): Manifest {
  const applied = acts.flatMap((act) => (act.type === 'apply' ? [act.manifest] : []));
  return applied.findLast((manifest) => nameOf(manifest) === nameOf(sample)) ?? sample;
}

/** One that was never there before. */
function lateTwinOf(manifest: Manifest): Manifest {
  return twinOf(manifest, 'late');
}

/** The same with one text in the place of another. */
function withOther(value: unknown, from: string, to: string): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((item) => withOther(item, from, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withOther(member, from, to)]));
}

/** The same with a text beside another in each list that has that one, and in its place where there is no list. */
function withAnother(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.includes(from) ? [...items, to] : items.map((item) => withAnother(item, from, to));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withAnother(member, from, to)]));
}
