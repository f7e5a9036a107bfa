import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import { isNotFound } from './api-error-predicates.ts';
import type { CallOptions, KubeClient, ListQuery } from './client.ts';

/** Objects asked for at a time. */
const PAGE = 500;

/** Every object that a query selects, one page after another. The iteration throws as the client's `list` rejects. */
export async function* listObjects(
  client: KubeClient,
  type: ResourceType,
  query: Pick<ListQuery, 'namespace' | 'labelSelector'>,
  call: CallOptions,
): AsyncGenerator<Unstructured> {
  let continueToken = '';
  do {
    const rest = continueToken === '' ? {} : { continueToken };
    const page = await client.list(type, { ...query, limit: PAGE, ...rest }, call);
    yield* page.items;
    ({ continueToken } = page);
  } while (continueToken !== '');
}

/** The same of a resource that may not be served: where it is not, the list ends with what came before. */
export async function* listServed(...list: Parameters<typeof listObjects>): AsyncGenerator<Unstructured> {
  try {
    yield* listObjects(...list);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
