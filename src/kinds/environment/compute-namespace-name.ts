import { type Lookup, noop, type Outcome, type Step, type StepContext, terminal } from '../../sdk/index.ts';
import { namePolicyOf } from '../clusterconfig/index.ts';
import { computeName, type NameSource, nameProblem, protectionProblem } from '../tenancy/namespace-name.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';
import { findOwnNamespace, ownedNamespace } from './owned-namespace.ts';
import type { ResolvedConfig } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';

/** What the steps after this one need. */
export interface ComputedName {
  /** Name of the namespace. */
  readonly target: string;
}

/** What the name of an Environment's namespace is made of. */
export function nameSourceOf({ metadata, spec }: Environment): NameSource {
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    ...(spec.teamRef === undefined ? {} : { team: spec.teamRef.name }),
    ...(spec.targetNamespace === undefined ? {} : { explicit: spec.targetNamespace }),
  };
}

/** The name an Environment's namespace has already, which no later edit of a template changes. */
export function frozenName(environment: Environment, lookup: Lookup): string | undefined {
  return ownedNamespace(environment, lookup)?.metadata.name;
}

/**
 * Step 3. The name is computed once: as soon as the namespace exists, its own labels tell the name, so that neither a lost
 * status nor an edited template moves an Environment to another namespace.
 */
export const computeNamespaceName: Step<Environment, ResolvedConfig, ComputedName> = {
  name: 'ComputeTargetNamespaceName',
  condition: ENVIRONMENT_CONDITIONS.namespaceNameComputed,
  apply: compute,
};

async function compute(context: StepContext<Environment, ResolvedConfig>): Promise<Outcome<ComputedName>> {
  const { object, api, needs } = context;
  const policy = namePolicyOf(needs.config);
  const source = nameSourceOf(object);
  const computed = computeName(source, policy);
  const target = frozenName(object, api.lookup) ?? (await unseenName(context)) ?? computed;
  if (target === computed) {
    const problem = nameProblem(computed, source, policy);
    if (problem !== undefined) return terminal(problem.reason, problem.detail);
    return noop({ target }, { reason: 'Computed', message: `Namespace "${target}"` });
  }
  const problem = protectionProblem(target, policy.protectedNamespaces);
  if (problem !== undefined) return terminal(problem.reason, problem.detail);
  const message = `Namespace "${target}"; for a new Environment it would be "${computed}"`;
  return noop({ target }, { reason: 'NameFrozen', message });
}

/** A name that only the API server knows of, where the cache is behind: another one would become a second namespace. */
async function unseenName(context: StepContext<Environment, ResolvedConfig>): Promise<string | undefined> {
  return context.api.cacheBehind === true ? (await findOwnNamespace(context))?.metadata.name : undefined;
}
