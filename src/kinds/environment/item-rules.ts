import {
  type CelTwin,
  type Finding,
  forbidden,
  invalid,
  type Rule,
  type RuleContext,
  stateRule,
} from '../../sdk/index.ts';
import type { ClusterConfig } from '../clusterconfig/index.ts';
import { admissionRule } from '../tenancy/admission-rule.ts';
import { requiredNames } from '../tenancy/effective-items.ts';
import { CLUSTER_CONFIGS } from '../tenancy/own-resources.ts';
import { ceilingFindings } from '../tenancy/quota-ceiling.ts';
import { TENANCY_LISTS } from '../tenancy/tenancy-lists.ts';
import { tenancyRules } from '../tenancy/tenancy-rules.ts';
import { itemsOf } from './child-step.ts';
import { clusterConfigOf } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';

const TEAM_MESSAGE = 'subjectsFromTeam needs spec.teamRef';

const teamTwin: CelTwin = {
  at: ['spec'],
  rule: 'has(self.teamRef) || !has(self.roleBindings) || !self.roleBindings.exists(binding, has(binding.subjectsFromTeam))',
  message: TEAM_MESSAGE,
  reason: 'FieldValueRequired',
  fieldPath: '.teamRef',
};

/** Rules about the items of an Environment, by themselves and under its ClusterConfig. */
export const itemRules: readonly Rule<Environment>[] = [
  ...tenancyRules<Environment>({ kind: 'environment', at: ['spec'], listsOf: ({ spec }) => spec }),
  stateRule({ id: 'environment.team-for-bindings', tier: 'C', cel: teamTwin }, teamForBindingsFindings),
  // What the template requires takes effect all the same, so that an item that was there before holds nothing up.
  admissionRule(
    { id: 'environment.required-items', says: 'no item has the name of one that the ClusterConfig requires' },
    underConfig(requiredItemFindings),
  ),
  stateRule(
    {
      id: 'environment.allowed-roles',
      tier: 'W',
      says: 'roles that spec.roleBindings bind are allowed by the ClusterConfig',
    },
    underConfig(allowedRoleFindings),
  ),
  stateRule(
    {
      id: 'environment.quota-ceiling',
      tier: 'W',
      says: 'spec.resourceQuotas stay below the ceiling of the ClusterConfig',
    },
    underConfig(quotaCeilingFindings),
  ),
  stateRule(
    {
      id: 'environment.compute-quota-defaults',
      tier: 'W',
      says: 'warns of quotas for CPU or memory without Container defaults in a limit range',
    },
    computeQuotaFindings,
  ),
];

/** Findings that speak only where the ClusterConfig is there, and rest on it. */
function underConfig(
  find: (environment: Environment, config: ClusterConfig) => Iterable<Finding>,
): (environment: Environment, context: RuleContext) => Iterable<Finding> {
  return function* (environment, { lookup }) {
    const config = clusterConfigOf(environment, lookup);
    if (config === undefined) return;
    const restsOn = [{ type: CLUSTER_CONFIGS, key: { name: config.metadata.name } }];
    for (const finding of find(environment, config)) yield { ...finding, restsOn };
  };
}

function* teamForBindingsFindings({ spec }: Environment): Generator<Finding> {
  const asked = spec.roleBindings?.some(({ subjectsFromTeam }) => subjectsFromTeam !== undefined) === true;
  if (!asked || spec.teamRef !== undefined) return;
  yield { type: 'FieldValueRequired', path: ['spec', 'teamRef'], detail: TEAM_MESSAGE };
}

function* requiredItemFindings({ spec }: Environment, config: ClusterConfig): Generator<Finding> {
  for (const list of TENANCY_LISTS) {
    const required = requiredNames(config.spec.template, list);
    for (const [index, { name }] of (spec[list] ?? []).entries()) {
      if (!required.has(name)) continue;
      yield forbidden(
        ['spec', list, index, 'name'],
        `ClusterConfig "${config.metadata.name}" requires its own "${name}"`,
      );
    }
  }
}

/** A binding in whose place the template puts its own grants nothing. */
function* allowedRoleFindings({ spec }: Environment, config: ClusterConfig): Generator<Finding> {
  const allowed = config.spec.allowedClusterRoles;
  const required = requiredNames(config.spec.template, 'roleBindings');
  for (const [index, { name, roleRef }] of (spec.roleBindings ?? []).entries()) {
    if (required.has(name) || allowed.includes(roleRef.name)) continue;
    const detail = `ClusterConfig "${config.metadata.name}" allows only ${allowed.join(', ') || 'no role'}`;
    yield invalid(['spec', 'roleBindings', index, 'roleRef', 'name'], roleRef.name, detail);
  }
}

/** The ceiling holds for what will be in the namespace; a quota of the template is the ClusterConfig's own matter. */
function* quotaCeilingFindings(environment: Environment, config: ClusterConfig): Generator<Finding> {
  const hard = config.spec.quotaCeiling?.hard;
  if (hard === undefined) return;
  const required = requiredNames(config.spec.template, 'resourceQuotas');
  for (const [index, quota] of (environment.spec.resourceQuotas ?? []).entries()) {
    if (required.has(quota.name)) continue;
    yield* ceilingFindings(quota, { name: config.metadata.name, hard }, ['spec', 'resourceQuotas', index]);
  }
}

/** Such a quota refuses every Pod that names no amounts of its own (kyverno/kyverno#511). */
function* computeQuotaFindings(environment: Environment, { lookup }: RuleContext): Generator<Finding> {
  const config = clusterConfigOf(environment, lookup);
  const ranges = config === undefined ? environment.spec.limitRanges : itemsOf(environment, config).limitRanges;
  const defaulted = new Set(
    (ranges ?? []).flatMap(({ limits }) =>
      limits.flatMap((limit) =>
        limit.type === 'Container'
          ? [limit.max, limit.default, limit.defaultRequest].flatMap((amounts) => Object.keys(amounts ?? {}))
          : [],
      ),
    ),
  );
  for (const [index, { hard }] of (environment.spec.resourceQuotas ?? []).entries()) {
    for (const resource of Object.keys(hard)) {
      const [, compute] = /^(?:requests\.|limits\.)?(cpu|memory)$/.exec(resource) ?? [];
      if (compute === undefined || defaulted.has(compute)) continue;
      const detail = `no Container default for ${compute}: Pods that name none are refused`;
      const path = ['spec', 'resourceQuotas', index, 'hard', { key: resource }];
      yield { type: 'FieldValueInvalid', severity: 'warn', path, detail };
    }
  }
}
