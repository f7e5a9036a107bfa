import type { JsonObject } from '../base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { type Expected, parseAnswer, toDeleted, toFrame, toObject, toPage } from './answer.ts';
import type { RequestTarget } from './api-error.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListQuery,
  ObjectPage,
  Patch,
  Status,
  WatchFrame,
  WatchQuery,
  WriteOptions,
} from './client.ts';
import { Exchange, type ExchangeOptions, type RequestPlan } from './exchange.ts';
import {
  collectionPath,
  creationPath,
  deleteBody,
  listQueryText,
  objectPath,
  watchQueryText,
  writeQueryText,
} from './request-path.ts';
import type { HttpMethod, Lane } from './transport.ts';
import { parseFrames } from './watch-frames.ts';
import { LEASES } from './well-known.ts';

const JSON_BODY = 'application/json';

/** The server reads YAML here, and JSON is YAML. */
const APPLY_BODY = 'application/apply-patch+yaml';

const PATCH_BODY: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
};

/** Which object or collection a call is about. */
interface Subject {
  readonly type: ResourceType;
  readonly key: string;
  readonly subresource?: string | undefined;
}

/**
 * A {@link KubeClient} that speaks the API server's HTTP over a transport. It holds no state of its own and opens nothing; ending
 * the transport ends it.
 *
 * Its methods also reject with `AnswerError` when a successful answer is not what was asked for, with `WatchFrameError` from
 * within a watch, and with `HOMEOSTAT_API_REQUEST` when a key does not fit its resource.
 */
export function createKubeClient(options: ExchangeOptions): KubeClient {
  return new HttpClient(new Exchange(options));
}

class HttpClient implements KubeClient {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    const expected = expect('get', { type, key: formatKey(key) });
    return this.#object(readPlan(expected, objectPath(type, key)), expected, options);
  }

  async list(type: ResourceType, query: ListQuery, options: CallOptions): Promise<ObjectPage> {
    const expected = expect('list', { type, key: query.namespace ?? '' });
    const path = collectionPath(type, query.namespace) + listQueryText(query);
    const body = await this.#exchange.text(readPlan(expected, path), options);
    return toPage(parseAnswer(body, expected.target), expected);
  }

  async watch(type: ResourceType, query: WatchQuery, options: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    const expected = expect('watch', { type, key: query.namespace ?? '' });
    const { target } = expected;
    const path = collectionPath(type, query.namespace) + watchQueryText(query);
    const plan: RequestPlan = { target, method: 'GET', path, lane: 'watch', repeat: 'never' };
    return parseFrames(await this.#exchange.stream(plan, options), (json) => toFrame(json, expected));
  }

  async create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured> {
    const { namespace, name } = object.metadata;
    const expected = expect('create', { type, key: formatKey(keyOf(object)), subresource: options.subresource });
    const path =
      options.subresource === undefined
        ? creationPath(type, namespace)
        : objectPath(type, { name, ...(namespace === undefined ? {} : { namespace }) }, options.subresource);
    const plan = writePlan(expected, 'POST', path + writeQueryText(options));
    return this.#object({ ...plan, body: JSON.stringify(object), contentType: JSON_BODY }, expected, options);
  }

  async update(type: ResourceType, object: KubeObject | Manifest, options: WriteOptions): Promise<Unstructured> {
    const key = keyOf(object);
    const expected = expect('update', { type, key: formatKey(key), subresource: options.subresource });
    const plan = writePlan(expected, 'PUT', objectPath(type, key, options.subresource) + writeQueryText(options));
    return this.#object({ ...plan, body: JSON.stringify(object), contentType: JSON_BODY }, expected, options);
  }

  async patch(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<Unstructured> {
    const expected = expect('patch', { type, key: formatKey(key), subresource: options.subresource });
    const plan = writePlan(expected, 'PATCH', objectPath(type, key, options.subresource) + writeQueryText(options));
    const content = { body: JSON.stringify(patch.body), contentType: PATCH_BODY[patch.type] };
    return this.#object({ ...plan, ...content }, expected, options);
  }

  async apply(type: ResourceType, object: Manifest, options: ApplyOptions): Promise<Unstructured> {
    const key = keyOf(object);
    const expected = expect('apply', { type, key: formatKey(key), subresource: options.subresource });
    const plan = writePlan(
      expected,
      'PATCH',
      objectPath(type, key, options.subresource) + writeQueryText(options, true),
    );
    return this.#object({ ...plan, body: JSON.stringify(object), contentType: APPLY_BODY }, expected, options);
  }

  async delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): Promise<Unstructured | Status> {
    const expected = expect('delete', { type, key: formatKey(key) });
    const plan = writePlan(expected, 'DELETE', objectPath(type, key));
    const content = { body: deleteBody(options), contentType: JSON_BODY };
    const body = await this.#exchange.text({ ...plan, ...content }, options);
    return toDeleted(parseAnswer(body, expected.target), expected);
  }

  async raw(method: 'GET' | 'POST', path: string, body: JsonObject | undefined, options: CallOptions): Promise<string> {
    const target: RequestTarget = { verb: method, resource: path.replace(/\?.*$/, ''), key: '' };
    const content = body === undefined ? {} : { body: JSON.stringify(body), contentType: JSON_BODY };
    const repeat = method === 'GET' ? 'always' : 'unsent';
    return this.#exchange.text({ target, method, path, lane: 'request', repeat, ...content }, options);
  }

  async #object(plan: RequestPlan, expected: Expected, options: CallOptions): Promise<Unstructured> {
    return toObject(parseAnswer(await this.#exchange.text(plan, options), expected.target), expected);
  }
}

function readPlan(expected: Expected, path: string): RequestPlan {
  return { target: expected.target, method: 'GET', path, lane: laneOf(expected), repeat: 'always' };
}

function writePlan(expected: Expected, method: HttpMethod, path: string): RequestPlan {
  return { target: expected.target, method, path, lane: laneOf(expected), repeat: 'unsent' };
}

/** A scale subresource is answered with a Scale whatever the resource is. */
function expect(verb: string, { type, key, subresource }: Subject): Expected {
  const resource = groupResourceOf(type) + (subresource === undefined ? '' : `/${subresource}`);
  const answer = subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : type;
  return { type: answer, target: { verb, resource, key } };
}

function laneOf({ type }: Expected): Lane {
  return type.group === LEASES.group && type.kind === LEASES.kind ? 'lease' : 'request';
}
