import { isNotFound, NAMESPACES, type StepApi } from '../../sdk/index.ts';
import type { NamespaceObject } from './owned-namespace.ts';

/** The live Namespace, `undefined` where there is none. */
export async function readNamespace(
  api: StepApi,
  name: string,
  signal: AbortSignal,
): Promise<NamespaceObject | undefined> {
  try {
    return await api.client.get(NAMESPACES, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
