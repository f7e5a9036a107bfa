import {
  amountFindings,
  type CelTwin,
  deletionRule,
  type Finding,
  invalid,
  type Rule,
  type RuleContext,
  stateRule,
} from '../../sdk/index.ts';
import { BY_CLUSTER_CONFIG } from '../tenancy/environment-indexes.ts';
import { firstProblem } from '../tenancy/first-problem.ts';
import { inUseFindings } from '../tenancy/in-use.ts';
import { labelSelectorFindings } from '../tenancy/label-selector-findings.ts';
import { isNamespacePattern } from '../tenancy/namespace-name.ts';
import { ceilingFindings } from '../tenancy/quota-ceiling.ts';
import { tenancyRules } from '../tenancy/tenancy-rules.ts';
import type { ClusterConfig } from './schema.ts';
import { vaultRules } from './vault-rules.ts';

const NAME_MESSAGE = 'must contain {name}';

const nameTwin: CelTwin = {
  at: ['spec', 'namespaceNameTemplate'],
  rule: "self.contains('{name}')",
  message: NAME_MESSAGE,
};

/** What is wrong with a ClusterConfig by itself, whoever refers to it. */
const stateRules: readonly Rule<ClusterConfig>[] = [
  stateRule({ id: 'clusterconfig.name-placeholder', tier: 'C', cel: nameTwin }, namePlaceholderFindings),
  stateRule(
    {
      id: 'clusterconfig.name-template',
      tier: 'W',
      says: 'spec.namespaceNameTemplate holds only name characters and the placeholders {namespace}, {name} and {team}',
    },
    nameTemplateFindings,
  ),
  stateRule(
    {
      id: 'clusterconfig.protected-namespaces',
      tier: 'W',
      says: 'spec.protectedNamespaces are names of namespaces, or beginnings with *',
    },
    protectedNamespaceFindings,
  ),
  stateRule(
    { id: 'clusterconfig.label-prefixes', tier: 'W', says: 'spec.allowedLabelPrefixes are domains with a slash' },
    labelPrefixFindings,
  ),
  stateRule(
    { id: 'clusterconfig.allowed-namespaces', tier: 'W', says: 'spec.allowedNamespaces.selector is a label selector' },
    allowedNamespaceFindings,
  ),
  ...tenancyRules<ClusterConfig>({
    kind: 'clusterconfig',
    at: ['spec', 'template'],
    listsOf: ({ spec }) => spec.template,
  }),
  stateRule(
    {
      id: 'clusterconfig.template-roles',
      tier: 'W',
      says: 'roles that spec.template binds are on spec.allowedClusterRoles',
    },
    templateRoleFindings,
  ),
  stateRule(
    {
      id: 'clusterconfig.quota-ceiling',
      tier: 'W',
      says: 'amounts of spec.quotaCeiling are quantities, and spec.template stays below them',
    },
    quotaCeilingFindings,
  ),
  ...vaultRules,
];

/** All rules of the kind. */
export const clusterConfigRules: readonly Rule<ClusterConfig>[] = [
  ...stateRules,
  deletionRule({ id: 'clusterconfig.in-use', says: 'no Environment refers to it' }, (config, { lookup }) =>
    inUseFindings(config, BY_CLUSTER_CONFIG, lookup),
  ),
];

/** The first thing that is wrong with a config that got past admission, for the Environments that would use it. */
export function configProblem(config: ClusterConfig, context: RuleContext): string | undefined {
  return firstProblem(clusterConfigRules, config, context);
}

function* namePlaceholderFindings({ spec }: ClusterConfig): Generator<Finding> {
  const template = spec.namespaceNameTemplate;
  if (!template.includes('{name}')) yield invalid(['spec', 'namespaceNameTemplate'], template, NAME_MESSAGE);
}

function* nameTemplateFindings({ spec }: ClusterConfig): Generator<Finding> {
  const template = spec.namespaceNameTemplate;
  if (/^([-a-z0-9]|\{namespace\}|\{name\}|\{team\})*$/.test(template)) return;
  const detail = 'must consist of lower case letters, digits, "-" and the placeholders {namespace}, {name} and {team}';
  yield invalid(['spec', 'namespaceNameTemplate'], template, detail);
}

function* protectedNamespaceFindings({ spec }: ClusterConfig): Generator<Finding> {
  for (const [index, pattern] of (spec.protectedNamespaces ?? []).entries()) {
    if (isNamespacePattern(pattern)) continue;
    const detail = 'must be the name of a namespace, or the start of names followed by "*"';
    yield invalid(['spec', 'protectedNamespaces', index], pattern, detail);
  }
}

function* labelPrefixFindings({ spec }: ClusterConfig): Generator<Finding> {
  for (const [index, prefix] of (spec.allowedLabelPrefixes ?? []).entries()) {
    if (/^[a-z0-9][-.a-z0-9]*\//.test(prefix)) continue;
    const detail = 'must be a domain and a slash, such as istio.io/';
    yield invalid(['spec', 'allowedLabelPrefixes', index], prefix, detail);
  }
}

function* allowedNamespaceFindings({ spec }: ClusterConfig): Generator<Finding> {
  const selector = spec.allowedNamespaces?.selector;
  if (selector !== undefined) yield* labelSelectorFindings(selector, ['spec', 'allowedNamespaces', 'selector']);
}

function* templateRoleFindings({ spec }: ClusterConfig): Generator<Finding> {
  for (const [index, { roleRef }] of (spec.template?.roleBindings ?? []).entries()) {
    if (spec.allowedClusterRoles.includes(roleRef.name)) continue;
    const path = ['spec', 'template', 'roleBindings', index, 'roleRef', 'name'];
    yield invalid(path, roleRef.name, 'is not in spec.allowedClusterRoles');
  }
}

function* quotaCeilingFindings({ metadata, spec }: ClusterConfig): Generator<Finding> {
  const hard = spec.quotaCeiling?.hard ?? {};
  for (const [resource, amount] of Object.entries(hard)) {
    yield* amountFindings(['spec', 'quotaCeiling', 'hard', { key: resource }], amount);
  }
  for (const [index, quota] of (spec.template?.resourceQuotas ?? []).entries()) {
    const path = ['spec', 'template', 'resourceQuotas', index];
    yield* ceilingFindings(quota, { name: metadata.name, hard }, path);
  }
}
