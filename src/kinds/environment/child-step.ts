import {
  type ChildConflict,
  type ChildSetResult,
  done,
  formatRef,
  type Manifest,
  type Notice,
  noop,
  type Outcome,
  ROLE_BINDINGS,
  type Step,
  type StepContext,
  waiting,
} from '../../sdk/index.ts';
import type { ClusterConfig } from '../clusterconfig/index.ts';
import type { ChildForm } from '../tenancy/child-form.ts';
import { effectiveItems } from '../tenancy/effective-items.ts';
import type { TenancyLists } from '../tenancy/tenancy-lists.ts';
import { STAGE_LABEL } from './metadata-keys.ts';
import type { ResolvedConfig } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';
import type { EnsuredNamespace } from './write-namespace.ts';

/** A child that somebody else has is outside the selected watches, so nothing tells when it goes. */
const CONFLICT_RECHECK_MS = 5 * 60_000;

/** What every step that applies children sees. */
export type ChildContext = StepContext<Environment, ResolvedConfig & EnsuredNamespace>;

/** Names of the children of one list, for the inventory. */
export type Names<List extends keyof TenancyLists> = { readonly [L in List]: readonly string[] };

/** What tells one of the five steps from another. */
export interface ChildStepOptions<List extends keyof TenancyLists, Item> {
  readonly name: string;
  readonly condition: string;
  readonly list: List;
  readonly form: ChildForm<Item>;
  /** Completes the items from elsewhere; an outcome instead of items holds the chain and leaves all children as they are. */
  readonly items: (lists: Required<TenancyLists>, context: ChildContext) => readonly Item[] | Outcome<never>;
  readonly touches?: Step<Environment, object, object>['touches'];
}

/** What is to be in an Environment's namespace: the template of its ClusterConfig with its own items over it. */
export function itemsOf(environment: Environment, config: ClusterConfig): Required<TenancyLists> {
  return effectiveItems(config.spec.template ?? {}, environment.spec);
}

/**
 * Steps 5 to 9: the children of one kind. None has a removal: they go with the namespace, since taking policies away first would
 * expose what still runs.
 */
export function childStep<List extends keyof TenancyLists, Item extends { readonly name: string }>(
  options: ChildStepOptions<List, Item>,
): Step<Environment, ResolvedConfig & EnsuredNamespace, Names<List>> {
  const { form, list } = options;
  return {
    name: options.name,
    condition: options.condition,
    touches: [
      { type: form.type, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
      ...(options.touches ?? []),
    ],
    apply: async (context): Promise<Outcome<Names<List>>> => {
      const { object, api, needs } = context;
      const items = options.items(itemsOf(object, needs.config), context);
      if (!isList(items)) return items;
      const { manifest, ...comparison } = form;
      const result = await api.applyChildren({
        ...comparison,
        namespace: needs.namespace,
        fresh: needs.fresh,
        desired: items.map((item) => staged(manifest(item, needs.namespace), object.spec.stage)),
      });
      const names = items.map((item) => item.name);
      // The key is exactly List; TypeScript widens a computed key to string.
      return outcomeOf({ [list]: names } as unknown as Names<List>, result, items.length);
    },
  };
}

function isList<Item>(value: readonly Item[] | Outcome<never>): value is readonly Item[] {
  return Array.isArray(value);
}

/** Children carry the stage of their Environment, so that an instance of one stage can select them. */
function staged(manifest: Manifest, stage: string): Manifest {
  const labels = { ...manifest.metadata.labels, [STAGE_LABEL]: stage };
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

function outcomeOf<Value>(value: Value, result: ChildSetResult, wanted: number): Outcome<Value> {
  const [conflict] = result.conflicts;
  if (conflict !== undefined) {
    return waiting('Conflict', conflictMessage(conflict, result.conflicts.length), {
      requeueAfterMs: CONFLICT_RECHECK_MS,
      on: [conflict.ref],
    });
  }
  const [terminating] = result.terminating;
  if (terminating !== undefined) {
    return waiting('Progressing', `${formatRef(terminating)} is being deleted and will be made anew`, {
      on: result.terminating,
    });
  }
  const words =
    wanted === 0 ? { reason: 'NothingToDo', message: 'None wanted' } : { reason: 'Applied', message: 'All as wanted' };
  if (result.changes.length === 0 && result.notices.length === 0) return noop(value, words);
  const drift = result.changes.flatMap((change) => change.drift);
  return done(value, { ...words, drift, notices: [...result.notices, ...replacements(result)] });
}

function conflictMessage({ ref, owner }: ChildConflict, count: number): string {
  const others = count === 1 ? '' : `, and ${count - 1} more`;
  return `${formatRef(ref)} exists and belongs to ${owner}${others}; rename the item or delete the object`;
}

function replacements({ changes }: ChildSetResult): readonly Notice[] {
  return changes
    .filter(({ action, ref }) => action === 'replaced' && ref.kind === ROLE_BINDINGS.kind)
    .map(({ ref }) => ({
      type: 'Normal',
      reason: 'RoleBindingReplaced',
      action: 'Replace',
      note: `Replaced ${formatRef(ref)}: the role of a binding cannot be changed`,
    }));
}
