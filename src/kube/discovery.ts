import { isRecord } from '../base/json.ts';
import { apiVersionOf, type ResourceType } from '../base/resource.ts';
import { parseAnswer } from './answer.ts';
import { AnswerError } from './api-error.ts';
import { isNotFound } from './api-error-predicates.ts';
import type { CallOptions, KubeClient } from './client.ts';

/** What an API server says of itself. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** `v1.37.2`, with a provider's suffix where there is one. */
  readonly gitVersion: string;
}

/**
 * Asks for the server's version. Providers write minors such as `27+`: the number counts.
 *
 * @throws AnswerError when the answer is no version; else as the client does.
 */
export async function serverVersion(client: KubeClient, options: CallOptions): Promise<ServerVersion> {
  const target = { verb: 'GET', resource: '/version', key: '' };
  const answer = parseAnswer(await client.raw('GET', '/version', undefined, options), target);
  const { major, minor, gitVersion } = isRecord(answer) ? answer : {};
  const numbers = [major, minor].map((part) => Number.parseInt(String(part), 10));
  const [majorNumber = Number.NaN, minorNumber = Number.NaN] = numbers;
  if (typeof gitVersion !== 'string' || numbers.some(Number.isNaN)) throw new AnswerError(target, 'is no version');
  return { major: majorNumber, minor: minorNumber, gitVersion };
}

/**
 * Whether the server serves a resource in this version: whether its CRD is established, or its aggregated API registered.
 *
 * @throws as the client does, except for 404, which means no.
 */
export async function isServed(client: KubeClient, type: ResourceType, options: CallOptions): Promise<boolean> {
  const path = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  try {
    const answer = parseAnswer(await client.raw('GET', path, undefined, options), {
      verb: 'GET',
      resource: path,
      key: '',
    });
    const resources = isRecord(answer) ? answer['resources'] : undefined;
    return (
      Array.isArray(resources) && resources.some((resource) => isRecord(resource) && resource['name'] === type.plural)
    );
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
