import type { Injection } from '../admission/injection.ts';
import type { AccessRequest, AdmissionSlice } from '../admission/slice.ts';
import type { CustomResource, KubeObject, Manifest } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Touch } from '../base/touch.ts';
import type { PrinterColumn } from '../manifests/slice.ts';
import { placeCelRules } from '../rules/cel.ts';
import type { Change } from '../rules/change.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Maintenance } from '../rules/maintenance.ts';
import type { Rule } from '../rules/rule.ts';
import type { Schema } from '../schema/builder.ts';
import { compileSchema } from '../schema/compile.ts';
import type { Pipeline } from '../steps/pipeline.ts';
import type { IndexDeclaration, Watch } from '../steps/slice.ts';
import { hooksFor } from './hooks.ts';
import type { Kind } from './kind.ts';
import { ownTouches } from './own-touches.ts';
import { rootSchema } from './root-schema.ts';

/** Everything an author says about a kind. What is left out is not there: no steps, no queue; no mutate, no mutating hook. */
export interface KindDefinition<Spec, Status> {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** One or two sentences: what a person gets from this kind. Shown by `kubectl explain`. */
  readonly description: string;
  readonly spec: Schema<Spec>;
  /** Members of the status beyond `observedGeneration`, `step` and `conditions`, which the engine adds where there are steps. */
  readonly status?: Schema<Status>;
  readonly columns: readonly PrinterColumn[];
  readonly rules: readonly Rule<CustomResource<Spec, Status>>[];
  /** Pure and idempotent; makes a mutating hook. */
  readonly mutate?: (object: CustomResource<Spec, Status>) => CustomResource<Spec, Status>;
  readonly accessReviews?: (change: Change<CustomResource<Spec, Status>>, lookup: Lookup) => readonly AccessRequest[];
  readonly pipeline?: Pipeline;
  readonly watches?: readonly Watch[];
  readonly indexes?: readonly IndexDeclaration[];
  /** Objects carry their stage as a label; `mutate` mirrors it. @defaultValue false */
  readonly staged?: boolean;
  /** Makes objects of this kind maintenance windows: how they are read. */
  readonly maintenance?: Maintenance;
  /** What objects of this kind add to those of a foreign resource when these are created. Makes a hook that may be missed. */
  readonly injection?: Injection;
  /** What rules and watches do at the API server beyond the steps' own touches. */
  readonly touches?: readonly Touch[];
  readonly samples: readonly Manifest[];
}

/**
 * Makes a {@link Kind} of a definition. From here on no engine knows the kind's types; what is read as `Spec` and `Status` has
 * been through the schema first.
 *
 * @throws HomeostatError `HOMEOSTAT_SCHEMA_INVALID` for a schema the API server would refuse
 */
export function defineKind<Spec, Status = unknown>(definition: KindDefinition<Spec, Status>): Kind {
  type Resource = CustomResource<Spec, Status>;
  const rules = definition.rules.map((rule) => closeRule<Resource>(rule));
  const structure = placeCelRules(rootSchema(definition), rules);
  const { mutate, accessReviews } = definition;
  // The casts below say once what the schema has made sure of: raw JSON of this kind is a Resource.
  const admission: Pick<AdmissionSlice, 'mutate' | 'accessReviews'> = {
    ...(mutate === undefined ? {} : { mutate: (object: KubeObject) => mutate(object as Resource) }),
    ...(accessReviews === undefined
      ? {}
      : // As above: the objects of the change are Resources.
        { accessReviews: (change, lookup) => accessReviews(change as Change<Resource>, lookup) }),
  };
  return {
    ...admission,
    type: definition.type,
    singular: definition.singular,
    shortNames: definition.shortNames,
    description: definition.description,
    controller: definition.singular,
    structure,
    schema: compileSchema(structure),
    hasStatus: definition.pipeline !== undefined || definition.status !== undefined,
    columns: definition.columns,
    rules,
    hooks: [
      ...hooksFor(definition.type, rules, mutate !== undefined),
      ...(definition.injection === undefined ? [] : [definition.injection.hook]),
    ],
    ...(definition.injection === undefined ? {} : { injection: definition.injection }),
    ...(definition.pipeline === undefined ? {} : { pipeline: definition.pipeline }),
    ...(definition.staged === undefined ? {} : { staged: definition.staged }),
    ...(definition.maintenance === undefined ? {} : { maintenance: definition.maintenance }),
    watches: definition.watches ?? [],
    indexes: definition.indexes ?? [],
    touches: [
      ...ownTouches(definition.type, definition.pipeline),
      ...(definition.injection === undefined
        ? []
        : [{ type: definition.injection.hook.type, verbs: ['list'] } as const]),
      ...(definition.touches ?? []),
    ],
    samples: definition.samples,
  };
}

/** The object a rule sees has passed the kind's schema, or is an older one that had; rules guard against the rest. */
function closeRule<T extends KubeObject>(rule: Rule<T>): Rule {
  return { ...rule, check: (change, context) => rule.check(change as Change<T>, context) };
}
