import {
  findObject,
  isOwnedBy,
  type KubeObject,
  MANAGED_BY_LABEL,
  ownershipAnnotations,
  ownershipLabels,
  SERVICE_ACCOUNTS,
} from '../../sdk/index.ts';
import { FIELD_MANAGER } from '../tenancy/own-resources.ts';
import type { ServiceAccountItem } from '../tenancy/service-account-schema.ts';
import type { ChildContext } from './child-step.ts';

/** The account that Kubernetes itself makes in every namespace, some time after the namespace. */
const DEFAULT_ACCOUNT = 'default';

/**
 * The accounts to keep, with the default account where it has been ours once: what Kubernetes makes is never deleted, it is left
 * bare when no item names it any more.
 */
export function withDefaultAccount(
  items: readonly ServiceAccountItem[],
  context: ChildContext,
): readonly ServiceAccountItem[] {
  return !namesDefault(items) && isOurs(context) ? [...items, { name: DEFAULT_ACCOUNT }] : items;
}

/**
 * Puts our marks on the default account where Kubernetes made it before us, so that it is no stranger to the apply that follows: it
 * belongs to nobody, while any other account without our marks is somebody's.
 */
export async function takeDefaultAccount(items: readonly ServiceAccountItem[], context: ChildContext): Promise<void> {
  const { object, api, needs, signal } = context;
  if (needs.fresh || !namesDefault(items) || isOurs(context)) return;
  const key = { namespace: needs.namespace, name: DEFAULT_ACCOUNT };
  const live = await findObject(api.client, SERVICE_ACCOUNTS, key, { signal });
  if (live === undefined || live.metadata.labels?.[MANAGED_BY_LABEL] !== undefined) return;
  const metadata = {
    uid: live.metadata.uid,
    labels: ownershipLabels(object),
    annotations: ownershipAnnotations(object),
  };
  const options = { signal, fieldManager: FIELD_MANAGER };
  await api.client.patch(SERVICE_ACCOUNTS, key, { type: 'merge', body: { metadata } }, options);
}

/** Whether the cache shows the default account as a child of this Environment. */
function isOurs({ object, api, needs }: ChildContext): boolean {
  const key = { namespace: needs.namespace, name: DEFAULT_ACCOUNT };
  const cached = api.lookup.get<KubeObject>(SERVICE_ACCOUNTS, key);
  return cached !== undefined && isOwnedBy(cached, object);
}

function namesDefault(items: readonly ServiceAccountItem[]): boolean {
  return items.some(({ name }) => name === DEFAULT_ACCOUNT);
}
