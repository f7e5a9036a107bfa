import { isNotFound, type ObjectKey, type ResourceType, type StepApi, type Unstructured } from '../../sdk/index.ts';

/** The live object, `undefined` where there is none. */
export async function readLive(
  api: StepApi,
  type: ResourceType,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Unstructured | undefined> {
  try {
    return await api.client.get(type, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
