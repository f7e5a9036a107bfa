import {
  describeOwner,
  findObject,
  formatKey,
  isAlreadyExists,
  keyOf,
  type KubeObject,
  NAMESPACES,
  type Outcome,
  refOf,
  type Step,
  type StepContext,
  type Waiting,
  waiting,
} from '../../sdk/index.ts';
import { teamProblem } from '../teamconfig/index.ts';
import { TEAM_CONFIGS } from '../tenancy/own-resources.ts';
import { teamOf } from './team.ts';
import type { ComputedName } from './compute-namespace-name.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';
import { ALLOW_ADOPTION_ANNOTATION } from './metadata-keys.ts';
import { deletionMessage } from './namespace-deletion.ts';
import { holdsUidOf, isOwnNamespace, type NamespaceObject, namesAsOwner } from './owned-namespace.ts';
import { removeNamespace } from './remove-namespace.ts';
import type { ResolvedConfig } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';
import { adoptNamespace, createNamespace, type EnsuredNamespace, keepNamespace } from './write-namespace.ts';

type Context = StepContext<Environment, ResolvedConfig & ComputedName>;

/**
 * A foreign namespace that came and went while a watch was broken was never in the cache, so nothing tells that its name is free. Looked
 * at again at this interval.
 */
const CONFLICT_RECHECK_MS = 5 * 60_000;

/**
 * Step 4. Makes the namespace, or keeps our own keys on the one that is there. A namespace of somebody else is never written to
 * unless it says itself, by annotation, that this Environment may have it. An invalid team holds the chain here.
 */
export const ensureNamespace: Step<Environment, ResolvedConfig & ComputedName, EnsuredNamespace> = {
  name: 'EnsureNamespace',
  condition: ENVIRONMENT_CONDITIONS.namespaceReady,
  touches: [
    { type: NAMESPACES, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    { type: TEAM_CONFIGS, verbs: ['get', 'list', 'watch'] },
  ],
  apply: async (context) => {
    const { api, needs, signal } = context;
    const invalid = invalidTeam(context);
    if (invalid !== undefined) return invalid;
    const cached = api.lookup.get<NamespaceObject>(NAMESPACES, { name: needs.target });
    if (cached !== undefined && isOurs(cached, context) && api.cacheBehind !== true) return settle(context, cached);
    // The cache may lag behind: a foreign namespace is refused by what is, and a POST fails where there is one.
    const live =
      cached === undefined ? undefined : await findObject(api.client, NAMESPACES, { name: needs.target }, { signal });
    if (live !== undefined) return settle(context, live);
    try {
      return await createNamespace(sourceOf(context));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const other = await findObject(api.client, NAMESPACES, { name: needs.target }, { signal });
      if (other === undefined) throw error;
      return settle(context, other);
    }
  },
  remove: removeNamespace,
};

/**
 * A team that admission would refuse gives nothing: its labels could lower the pod security of the namespace, its members get rights
 * in it. What exists stays as it is.
 */
function invalidTeam({ object, api }: Context): Waiting | undefined {
  const team = teamOf(object, api.lookup);
  const problem = team && teamProblem(team, { lookup: api.lookup, operatorNamespace: '' });
  if (team === undefined || problem === undefined) return undefined;
  return waiting('TeamInvalid', `TeamConfig "${team.metadata.name}" is invalid: ${problem}`, { on: [refOf(team)] });
}

async function settle(context: Context, live: NamespaceObject): Promise<Outcome<EnsuredNamespace>> {
  const ours = isOurs(live, context);
  if (!ours && !mayAdopt(live, context.object)) return conflict(live, context.object);
  if (live.metadata.deletionTimestamp !== undefined) {
    return waiting('NamespaceTerminating', deletionMessage(live), { on: [refOf(live)] });
  }
  const source = sourceOf(context);
  return ours && holdsUidOf(live, context.object) ? keepNamespace(live, source) : adoptNamespace(live, source, !ours);
}

function isOurs(namespace: KubeObject, { object }: Context): boolean {
  return isOwnNamespace(namespace, object);
}

function sourceOf({ object, api, needs, signal }: Context) {
  const team = teamOf(object, api.lookup);
  return {
    api,
    signal,
    name: needs.target,
    environment: object,
    config: needs.config,
    teamMissing: object.spec.teamRef !== undefined && team === undefined,
    ...(team === undefined ? {} : { team }),
  };
}

function mayAdopt(namespace: KubeObject, environment: Environment): boolean {
  const consent = namespace.metadata.annotations?.[ALLOW_ADOPTION_ANNOTATION];
  return environment.spec.adoptionPolicy === 'IfConsented' && consent === formatKey(keyOf(environment));
}

function conflict(live: NamespaceObject, environment: Environment): Outcome<EnsuredNamespace> {
  const { name } = live.metadata;
  const consent = `${ALLOW_ADOPTION_ANNOTATION}: ${formatKey(keyOf(environment))}`;
  const whose = namesAsOwner(live, environment)
    ? "is labelled as this Environment's although it did not make it"
    : `belongs to ${describeOwner(live)}`;
  return waiting(
    'Conflict',
    `Namespace "${name}" exists and ${whose}; to take it over, annotate it with "${consent}" and set spec.adoptionPolicy to IfConsented`,
    { event: 'NamespaceConflict', on: [refOf(live)], requeueAfterMs: CONFLICT_RECHECK_MS },
  );
}
