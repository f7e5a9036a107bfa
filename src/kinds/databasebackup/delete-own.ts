import {
  isNotFound,
  isOwnedBy,
  type KubeObject,
  type ObjectKey,
  type ObserveContext,
  type ResourceType,
} from '../../sdk/index.ts';
import type { DatabaseBackup } from './schema.ts';

/** Deletes what the cache shows as ours under this name, and only that; resolves with whether there was any. Rejects as the client does. */
export async function deleteOwn(
  { object, api, signal }: Pick<ObserveContext<DatabaseBackup>, 'object' | 'api' | 'signal'>,
  type: ResourceType,
  name: string,
): Promise<boolean> {
  const { namespace } = object.metadata;
  const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  const cached = api.lookup.get<KubeObject>(type, key);
  if (cached === undefined || cached.metadata.deletionTimestamp !== undefined || !isOwnedBy(cached, object))
    return false;
  try {
    await api.client.delete(type, key, { uid: cached.metadata.uid, propagationPolicy: 'Background', signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return true;
}
