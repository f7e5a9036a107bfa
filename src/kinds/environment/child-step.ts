import {
  type ChildChange,
  childSetStep,
  formatRef,
  type Manifest,
  type Notice,
  type Outcome,
  passed,
  STAGE_LABEL,
  type Step,
  type StepContext,
  type Touch,
  type Waiting,
} from '../../sdk/index.ts';
import type { ClusterConfig } from '../clusterconfig/index.ts';
import type { ChildForm } from '../tenancy/child-form.ts';
import { effectiveItems, requiredNames } from '../tenancy/effective-items.ts';
import type { TenancyLists } from '../tenancy/tenancy-lists.ts';
import type { ResolvedConfig } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';
import type { EnsuredNamespace } from './write-namespace.ts';

/** What the steps that apply children need. */
export type ChildNeeds = ResolvedConfig & EnsuredNamespace;

/** What they see. */
export type ChildContext = StepContext<Environment, ChildNeeds>;

/** Names of the children of one list, for the inventory. */
export type Names<List extends keyof TenancyLists> = { readonly [L in List]: readonly string[] };

/** What tells one of the five steps from another. */
export interface ChildStepOptions<List extends keyof TenancyLists, Item> {
  readonly name: string;
  readonly condition: string;
  readonly list: List;
  readonly form: ChildForm<Item>;
  /** Completes the items from elsewhere; an outcome instead of items holds the chain and leaves all children as they are. */
  readonly items: (lists: Required<TenancyLists>, context: ChildContext) => readonly Item[] | Waiting;
  readonly touches?: readonly Touch[];
}

/** What is to be in an Environment's namespace: the template of its ClusterConfig with its own items over it. */
export function itemsOf(environment: Environment, config: ClusterConfig): Required<TenancyLists> {
  return effectiveItems(config.spec.template ?? {}, environment.spec);
}

/**
 * Steps 5 to 9: the children of one kind. None has a removal: they go with the namespace, since taking policies away first would
 * expose what still runs.
 */
export function childStep<List extends keyof TenancyLists, Item>(
  options: ChildStepOptions<List, Item>,
): Step<Environment, ChildNeeds, Names<List>> {
  const { list, form, items, ...step } = options;
  const { manifest, ...comparison } = form;
  const keep = childSetStep<Environment, ChildNeeds, Names<List>>({
    ...step,
    ...comparison,
    desired: (context) => {
      const { object, needs } = context;
      const wanted = items(itemsOf(object, needs.config), context);
      if ('type' in wanted) return wanted;
      const manifests = wanted.map((item) => staged(manifest(item, needs.namespace), object.spec.stage));
      return { namespace: needs.namespace, fresh: needs.fresh, manifests };
    },
    // The key is exactly List; TypeScript widens a computed key to string.
    gives: (names) => ({ [list]: names }) as unknown as Names<List>,
    notice: replacementNotice,
  });
  return { ...keep, apply: async (context) => withOverruled(await keep.apply(context), list, context) };
}

/** Names the items that have no effect, since the template requires its own: an edit of the template may have made them so. */
function withOverruled<List extends keyof TenancyLists>(
  outcome: Outcome<Names<List>>,
  list: List,
  { object, needs: { config } }: ChildContext,
): Outcome<Names<List>> {
  const required = requiredNames(config.spec.template, list);
  const overruled = (object.spec[list] ?? []).flatMap(({ name }) => (required.has(name) ? [`"${name}"`] : []));
  if (!passed(outcome) || overruled.length === 0) return outcome;
  const message = `ClusterConfig "${config.metadata.name}" requires its own ${overruled.join(', ')} in place of those in spec.${list}`;
  return { ...outcome, message };
}

/** Children carry the stage of their Environment, so that an instance of one stage can select them. */
function staged(manifest: Manifest, stage: string): Manifest {
  const labels = { ...manifest.metadata.labels, [STAGE_LABEL]: stage };
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

/** What the API server lets nobody change in place, by the kind of the child, and the Event that tells of its replacement. */
const UNCHANGEABLE: Readonly<Record<string, { readonly what: string; readonly event: string }>> = {
  RoleBinding: { what: 'the role of a binding', event: 'RoleBindingReplaced' },
  ResourceQuota: { what: 'the scopes of a quota', event: 'ResourceQuotaReplaced' },
};

function replacementNotice({ action, ref }: ChildChange): Notice | undefined {
  const unchangeable = UNCHANGEABLE[ref.kind];
  if (action !== 'replaced' || unchangeable === undefined) return undefined;
  const note = `Replaced ${formatRef(ref)}: ${unchangeable.what} cannot be changed`;
  return { type: 'Normal', reason: unchangeable.event, action: 'Replace', note };
}
