import type { Unstructured } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
import { isNotFound } from './api-error-predicates.ts';
import type { CallOptions, KubeClient } from './client.ts';

/** The object as the API server has it now, `undefined` where there is none. Rejects as the client's `get` does, except for 404. */
export async function findObject(
  client: Pick<KubeClient, 'get'>,
  type: ResourceType,
  key: ObjectKey,
  call: CallOptions,
): Promise<Unstructured | undefined> {
  try {
    return await client.get(type, key, call);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
