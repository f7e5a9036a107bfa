import { deadline, sleep } from '../base/abort.ts';
import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { apiVersionOf } from '../base/resource.ts';
import type { Status } from '../kube/client.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { Cluster } from './cluster.ts';
import { memberAt, type RawObject, recordAt, textAt, textsAt } from './raw-json.ts';
import type { ServedResource } from './served-resource.ts';
import type { Webhook } from './webhook-matching.ts';

/** One HTTPS request to a webhook. */
export interface DialRequest {
  readonly host: string;
  readonly port: number;
  /** Name the certificate must hold. */
  readonly serverName: string;
  /** PEM; empty means the system's roots. */
  readonly ca: string;
  readonly path: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** What came back from a webhook. */
export interface DialResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Sends a request over TLS; rejects with an error whose message says what went wrong, in Go's words where they are known. */
export type Dial = (request: DialRequest) => Promise<DialResponse>;

/** Where a Service is reached; undefined when it has no endpoint. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) => { readonly host: string; readonly port: number } | undefined;

/** Options of {@link WebhookCaller}. */
export interface WebhookCallerOptions {
  readonly dial: Dial;
  readonly resolveService: ResolveService;
}

/** The verdict of a webhook whose answer passed all checks. */
export interface Review {
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patch?: readonly unknown[];
  readonly warnings: readonly string[];
}

/** A webhook did not give a usable answer; its failurePolicy decides. Code `HOMEOSTAT_DEVCLUSTER_WEBHOOK_FAULT`. */
export class WebhookFault extends HomeostatError {
  constructor(message: string) {
    super('HOMEOSTAT_DEVCLUSTER_WEBHOOK_FAULT', message);
  }
}

const MOST_RETRIES = 10;

/** Sends AdmissionReviews and checks the answers (apiserver `pkg/admission/plugin/webhook`, `pkg/util/webhook`). */
export class WebhookCaller {
  readonly #cluster: Cluster;
  readonly #options: WebhookCallerOptions;

  constructor(cluster: Cluster, options: WebhookCallerOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Calls one webhook, in the version its rules ask for. Throws {@link WebhookFault} for anything but a well-formed verdict. */
  async call(hook: Webhook, request: AdmissionRequest, seen: ServedResource, mutating: boolean): Promise<Review> {
    const uid = this.#cluster.random.uuid();
    const body = JSON.stringify(reviewOf(uid, request, seen));
    const target = this.#target(hook);
    const url = `${target.url}?timeout=${hook.timeoutSeconds}s`;
    const limit = deadline(
      this.#cluster.clock,
      hook.timeoutSeconds * 1000,
      request.signal,
      () => new DeadlineExceeded(),
    );
    try {
      const answer = await this.#send(target, { body, url, signal: limit.signal });
      return checkReview(answer, uid, mutating);
    } finally {
      limit.cancel();
    }
  }

  async #send(
    target: Target,
    { body, url, signal }: { body: string; url: string; signal: AbortSignal },
  ): Promise<string> {
    const path = `${target.path}${url.slice(url.indexOf('?'))}`;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#options.dial({ ...target, path, body, signal }).catch((error: unknown) => {
        const why = signal.aborted
          ? 'context deadline exceeded'
          : error instanceof Error
            ? error.message
            : String(error);
        throw new WebhookFault(`failed to call webhook: Post "${url}": ${why}`);
      });
      const wait = retryAfterMs(response);
      if (wait === undefined || attempt >= MOST_RETRIES) return bodyOf(response);
      await sleep(this.#cluster.clock, wait, signal).catch(() => {
        throw new WebhookFault(`failed to call webhook: Post "${url}": context deadline exceeded`);
      });
    }
  }

  #target(hook: Webhook): Target {
    const config = recordAt(hook.raw, 'clientConfig');
    const ca = Buffer.from(textAt(config, 'caBundle'), 'base64').toString('utf8');
    const url = textAt(config, 'url');
    if (url !== '') {
      const { hostname, port, pathname, origin } = new URL(url);
      return {
        host: hostname,
        port: Number(port || 443),
        serverName: hostname,
        path: pathname,
        ca,
        url: `${origin}${pathname}`,
      };
    }
    const service = recordAt(config, 'service');
    const [namespace, name] = [textAt(service, 'namespace'), textAt(service, 'name')];
    const given = memberAt(service, ['port']);
    const port = typeof given === 'number' ? given : 443;
    const path = textAt(service, 'path') || '/';
    const serverName = `${name}.${namespace}.svc`;
    const address = this.#options.resolveService(namespace, name, port);
    const shown = `https://${serverName}:${port}${path}`;
    if (address === undefined) {
      const why = `no endpoints available for service "${name}"`;
      throw new WebhookFault(`failed to call webhook: Post "${shown}?timeout=${hook.timeoutSeconds}s": ${why}`);
    }
    return { ...address, serverName, path, ca, url: shown };
  }
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly path: string;
  readonly ca: string;
  readonly url: string;
}

class DeadlineExceeded extends Error {}

function reviewOf(uid: string, request: AdmissionRequest, seen: ServedResource): object {
  const { resource, subresource, namespace, name, operation, user, object, oldObject, dryRun, options } = request;
  const { group, version, plural } = seen;
  const kindOf = ({ version: of, kind }: ServedResource): object =>
    subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { group, version: of, kind };
  // Versions are converted by name alone; a subresource's own kind keeps its version.
  const converted = (value: Unstructured): object =>
    seen === resource ? value : { ...value, apiVersion: apiVersionOf(seen) };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind: kindOf(seen),
      resource: { group, version, resource: plural },
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: kindOf(resource),
      requestResource: { group, version: resource.version, resource: plural },
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: user,
      object: object === undefined ? null : { ...object, apiVersion: apiVersionOf(seen) },
      oldObject: oldObject === undefined ? null : converted(oldObject),
      dryRun,
      options,
    },
  };
}

function retryAfterMs({ status, retryAfter }: DialResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  return retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'forbidden',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function bodyOf({ status, body }: DialResponse): string {
  if (status >= 200 && status <= 206) return body;
  const parsed = parseJson(body);
  const quoted = isRecord(parsed) && parsed['kind'] === 'Status' ? textAt(parsed, 'message') : '';
  const known = STATUS_TEXTS[status];
  const server =
    status >= 500 && body !== ''
      ? `an error on the server (${JSON.stringify(body.slice(0, 2048)).slice(1, -1)}) has prevented the request from succeeding`
      : undefined;
  const unknown = `the server responded with the status code ${status} but did not return more information`;
  const why = [quoted, known, server].find((text) => text !== undefined && text !== '') ?? unknown;
  throw new WebhookFault(`failed to call webhook: ${why}`);
}

/** What Go's decoder says of a body that is no JSON object: it was read as one YAML text. */
const NO_OBJECT =
  'json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function checkReview(body: string, uid: string, mutating: boolean): Review {
  const review = parseJson(body);
  if (!isRecord(review)) {
    throw new WebhookFault(`failed to call webhook: couldn't get version/kind; json parse error: ${NO_OBJECT}`);
  }
  const type = `${textAt(review, 'apiVersion')}, Kind=${textAt(review, 'kind')}`;
  if (type !== 'admission.k8s.io/v1, Kind=AdmissionReview') {
    const version = textAt(review, 'apiVersion').split('/').at(-1) ?? '';
    throw new WebhookFault(
      `failed to call webhook: converting (${version}.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
    );
  }
  const { response } = review;
  if (!isRecord(response)) throw malformed('webhook response was absent');
  if (response['uid'] !== uid) {
    throw malformed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textAt(response, 'uid'))}`);
  }
  const patch = mutating ? patchOf(response) : noPatch(response);
  const { status } = response;
  return {
    allowed: response['allowed'] === true,
    // The parts of a Status are read one by one where they are used.
    ...(isRecord(status) ? { status } : {}),
    ...(patch === undefined ? {} : { patch }),
    warnings: textsAt(response, 'warnings'),
  };
}

function noPatch(response: RawObject): undefined {
  if (textAt(response, 'patch') !== '') throw malformed('validating webhook may not return response.patch');
  if (response['patchType'] !== undefined) throw malformed('validating webhook may not return response.patchType');
  return undefined;
}

function patchOf(response: RawObject): readonly unknown[] | undefined {
  const { patchType } = response;
  const encoded = textAt(response, 'patch');
  if (encoded === '' && patchType === undefined) return undefined;
  if (patchType === undefined) throw malformed('webhook returned response.patch but not response.patchType');
  if (encoded === '') throw malformed('webhook returned response.patchType but not response.patch');
  if (patchType !== 'JSONPatch') throw malformed(`invalid value of response.patchType ${JSON.stringify(patchType)}`);
  const bad = /[^A-Za-z0-9+/=\s]/.exec(encoded);
  if (bad !== null || encoded.replaceAll(/\s/g, '').length % 4 !== 0) {
    throw new WebhookFault(`failed to call webhook: illegal base64 data at input byte ${bad?.index ?? encoded.length}`);
  }
  const patch = parseJson(Buffer.from(encoded, 'base64').toString('utf8'));
  // Its operations are checked when the patch is applied.
  if (Array.isArray(patch)) return patch as readonly unknown[];
  throw malformed('response.patch is not a list of JSON patch operations');
}

function malformed(why: string): WebhookFault {
  return new WebhookFault(`received invalid webhook response: ${why}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
