import {
  type Finding,
  forbidden,
  invalid,
  NAMESPACES,
  type RuleContext,
  type Rule,
  stateRule,
} from '../../sdk/index.ts';
import { admitsNamespace, namePolicyOf } from '../clusterconfig/index.ts';
import { admissionRule } from '../tenancy/admission-rule.ts';
import {
  computeName,
  type NameProblem,
  nameProblem,
  protectionProblem,
  syntaxProblem,
} from '../tenancy/namespace-name.ts';
import { CLUSTER_CONFIGS, TEAM_CONFIGS } from '../tenancy/own-resources.ts';

import { frozenName, nameSourceOf } from './compute-namespace-name.ts';
import { clusterConfigOf } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';
import { teamOf } from './team.ts';

/** Rules about what an Environment refers to, and the name that follows from it. */
export const referenceRules: readonly Rule<Environment>[] = [
  admissionRule(
    {
      id: 'environment.cluster-config',
      says: 'spec.clusterConfigRef exists (a warning where not) and admits the namespace',
    },
    clusterConfigFindings,
  ),
  admissionRule({ id: 'environment.team', says: 'warns where spec.teamRef does not exist' }, teamFindings),
  admissionRule(
    { id: 'environment.namespace-name', says: 'the name that follows is a free, unprotected name of a namespace' },
    namespaceNameFindings,
  ),
  stateRule(
    { id: 'environment.operator-namespace', tier: 'W', says: 'the namespace is not the one this service runs in' },
    operatorNamespaceFindings,
  ),
];

/** A missing config only warns: manifests may be applied in any order, and the controller waits for it. */
function* clusterConfigFindings(environment: Environment, { lookup }: RuleContext): Generator<Finding> {
  const { name } = environment.spec.clusterConfigRef;
  const path = ['spec', 'clusterConfigRef', 'name'];
  const restsOn = [{ type: CLUSTER_CONFIGS, key: { name } }];
  const config = clusterConfigOf(environment, lookup);
  if (config === undefined) {
    const detail = `ClusterConfig "${name}" does not exist yet; waiting for it`;
    yield { ...invalid(path, name, detail), severity: 'warn', restsOn };
    return;
  }
  const namespace = environment.metadata.namespace ?? '';
  if (admitsNamespace(config, namespace, lookup)) return;
  yield {
    ...invalid(path, name, `ClusterConfig "${name}" does not admit namespace "${namespace}"`),
    restsOn: [...restsOn, { type: NAMESPACES, key: { name: namespace } }],
  };
}

function* teamFindings(environment: Environment, { lookup }: RuleContext): Generator<Finding> {
  const { teamRef } = environment.spec;
  if (teamRef === undefined || teamOf(environment, lookup) !== undefined) return;
  const { name } = teamRef;
  const detail = `TeamConfig "${name}" does not exist yet; its bindings wait for it`;
  const restsOn = [{ type: TEAM_CONFIGS, key: { name } }];
  yield { ...invalid(['spec', 'teamRef', 'name'], name, detail), severity: 'warn', restsOn };
}

function* namespaceNameFindings(environment: Environment, context: RuleContext): Generator<Finding> {
  const source = nameSourceOf(environment);
  const config = clusterConfigOf(environment, context.lookup);
  if (config === undefined) {
    // Without a config only a name that is chosen is known.
    if (source.explicit === undefined) return;
    const problem = syntaxProblem(source.explicit) ?? protectionProblem(source.explicit, []);
    if (problem !== undefined) yield nameFinding(environment, problem);
    return;
  }
  const policy = namePolicyOf(config);
  const computed = computeName(source, policy);
  const target = frozenName(environment, context.lookup) ?? computed;
  const problem =
    target === computed ? nameProblem(computed, source, policy) : protectionProblem(target, policy.protectedNamespaces);
  if (problem === undefined) return;
  yield {
    ...nameFinding(environment, problem),
    restsOn: [{ type: CLUSTER_CONFIGS, key: { name: config.metadata.name } }],
  };
}

/** Only rules know in which namespace this service runs, so this one speaks in the controller as well. */
function* operatorNamespaceFindings(environment: Environment, context: RuleContext): Generator<Finding> {
  const source = nameSourceOf(environment);
  const config = clusterConfigOf(environment, context.lookup);
  const name = config === undefined ? source.explicit : computeName(source, namePolicyOf(config));
  if (name !== context.operatorNamespace) return;
  const problem = protectionProblem(name, [], context.operatorNamespace);
  if (problem !== undefined) yield nameFinding(environment, problem);
}

function nameFinding({ metadata, spec }: Environment, problem: NameProblem): Finding {
  if (problem.reason === 'ExplicitNameNotAllowed') return forbidden(['spec', 'targetNamespace'], problem.detail);
  if (spec.targetNamespace !== undefined) return invalid(['spec', 'targetNamespace'], problem.name, problem.detail);
  return invalid(['metadata', 'name'], metadata.name, problem.detail);
}
