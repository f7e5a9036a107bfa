import { HomeostatError } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import { formatKey, groupResourceOf } from '../base/resource.ts';
import type { ObjectOf } from '../base/violation.ts';
import type { KubeClient } from '../kube/client.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { LiveReader } from '../rules/live-lookup.ts';
import type { PreparedObjects } from '../rules/prepared-objects.ts';

/** A denial could not be confirmed by a live read. Code `HOMEOSTAT_LIVE_READ_FAILED`; the client's error is the cause. */
export class LiveReadFailed extends HomeostatError {
  constructor(object: ObjectOf, cause: unknown) {
    super(
      'HOMEOSTAT_LIVE_READ_FAILED',
      `The live read of ${groupResourceOf(object.type)} ${formatKey(object.key)}, which a denial rests on, was not answered`,
      { cause },
    );
  }
}

/** A {@link LiveReader} over the API client. Rejects with {@link LiveReadFailed}, or with the signal's reason when it fired. */
export function createLiveReader(client: KubeClient, prepared: PreparedObjects): LiveReader {
  return async (object, signal) => {
    try {
      return prepared.of<KubeObject>(object.type, await client.get(object.type, object.key, { signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      signal.throwIfAborted();
      throw new LiveReadFailed(object, error);
    }
  };
}
