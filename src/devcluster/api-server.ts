import { errorText } from '../base/errors.ts';
import { answerReview } from './access-reviews.ts';
import type { Audit } from './audit.ts';
import { unsupported } from './builtin-strategies.ts';
import type { Authenticator } from './authentication.ts';
import type { Authorizer } from './authorization.ts';
import type { Cluster } from './cluster.ts';
import { discoveryDocument } from './discovery.ts';
import { type ApiRequest, type ApiResponse, ConnectionCut, jsonResponse, textResponse } from './exchange.ts';
import type { Faults } from './faults.ts';
import { actingUser } from './impersonation.ts';
import { decodeObject, parseBody } from './object-decoder.ts';
import { openApiIndex, openApiV2, openApiV3 } from './openapi.ts';
import { type Presentation, presentationOf } from './printing.ts';
import type { ReadHandler } from './read-handler.ts';
import type { RequestContext, User } from './request-context.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import { readBody } from './request-body.ts';
import { selectedName } from './selectors.ts';
import type { ServedResource } from './served-resource.ts';
import { internalError, invalid, methodNotAllowed, noSuchResource, StatusError, statusBody } from './status-error.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import { Warnings } from './warnings.ts';
import type { WebhookCounters } from './webhook-counters.ts';
import type { WriteHandler, WrittenPart } from './write-handler.ts';

/** The parts behind the routes. */
export interface ApiServerPorts {
  readonly cluster: Cluster;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly faults: Faults;
  readonly audit: Audit;
  readonly counters: WebhookCounters;
  readonly reads: ReadHandler;
  readonly writes: WriteHandler;
  readonly subresources: SubresourceHandler;
}

const VERSION = {
  major: '1',
  minor: '37',
  gitVersion: 'v1.37.2',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};
const HEALTH = new Set(['healthz', 'livez', 'readyz']);

/** The API server as a pure function from request to response: who asks, may they, what goes wrong on purpose, and the route. */
export class ApiServer {
  readonly #ports: ApiServerPorts;

  constructor(ports: ApiServerPorts) {
    this.#ports = ports;
  }

  /** Answers any request; rejects only with {@link ConnectionCut}. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const warnings = new Warnings();
    const info = infoOf(request);
    let user: User = { username: '', groups: [] };
    let code = 0;
    try {
      user = this.#user(request);
      const response = await this.#ports.faults.run(info, user.username, request.signal, () =>
        this.#serve(request, info, { user, warnings }),
      );
      code = response.status;
      return withWarnings(response, warnings);
    } catch (error) {
      if (error instanceof ConnectionCut || request.signal.aborted) throw new ConnectionCut();
      const response = this.#failure(error, info);
      code = response.status;
      return withWarnings(response, warnings);
    } finally {
      const userAgent = request.headers['user-agent'] ?? '';
      this.#ports.audit.note(info, { user: user.username, userAgent, code, dryRun: request.query.has('dryRun') });
    }
  }

  #user({ headers }: ApiRequest): User {
    return actingUser(this.#ports.authenticator.authenticate(headers), headers, this.#ports.authorizer);
  }

  async #serve(request: ApiRequest, info: RequestInfo, who: { user: User; warnings: Warnings }): Promise<ApiResponse> {
    const dryRun = request.query.get('dryRun');
    if (dryRun !== null && dryRun !== 'All') throw unknownDryRun(info, dryRun);
    const { query, signal } = request;
    const { body, headers } = readBody(request);
    const context: RequestContext = { info, ...who, query, headers, body, dryRun: dryRun !== null, signal };
    this.#ports.authorizer.require(context);
    return info.resource === '' ? this.#document(request) : this.#resource(context);
  }

  #document({ path, headers, method }: ApiRequest): ApiResponse {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
    const { registry } = this.#ports.cluster;
    const [root = '', sub] = path.split('/').slice(1);
    if (HEALTH.has(root)) return textResponse(200, 'ok');
    if (root === 'metrics') return textResponse(200, this.#ports.counters.text());
    if (root === 'version') return jsonResponse(200, VERSION);
    if (root === 'openapi') {
      const body =
        sub === 'v2'
          ? openApiV2(registry)
          : path.replace(/\/$/, '') === '/openapi/v3'
            ? openApiIndex(registry)
            : openApiV3(registry, path);
      if (body !== undefined) return jsonResponse(200, body);
    }
    const document = discoveryDocument(registry, path, headers['accept']);
    if (document !== undefined)
      return jsonResponse(200, document.body, { 'content-type': document.contentType, vary: 'Accept' });
    return textResponse(404, '404 page not found\n');
  }

  async #resource(context: RequestContext): Promise<ApiResponse> {
    const { info, headers } = context;
    const resource = this.#ports.cluster.registry.find(info.group, info.version, info.resource);
    if (resource === undefined) {
      if (info.subresource !== '' || info.group === '' || this.#servesGroup(info)) throw noSuchResource();
      return textResponse(404, '404 page not found\n');
    }
    const as = presentationOf(headers['accept']);
    if (as === undefined) throw notAcceptable();
    if (resource.verbs.length === 1) return this.#review(resource, context);
    checkScope(resource, info);
    const part = partOf(resource, info);
    return part === undefined
      ? this.#ports.subresources.handle(resource, context)
      : this.#verb({ resource, context, as, part });
  }

  #verb({ resource, context, as, part }: ObjectRoute): ApiResponse | Promise<ApiResponse> {
    const { reads, writes } = this.#ports;
    switch (context.info.verb) {
      case 'get':
        return reads.get(resource, context, as);
      case 'list':
        return reads.list(resource, context, as);
      case 'watch':
        return reads.watch(resource, context, as);
      case 'create':
        return writes.create(resource, context, as);
      case 'update':
        return writes.update(resource, context, as, part);
      case 'patch':
        return writes.patch(resource, context, as, part);
      case 'delete':
        return writes.delete(resource, context);
      case 'deletecollection':
        return writes.deleteCollection(resource, context, as);
      default:
        throw methodNotAllowed();
    }
  }

  #servesGroup({ group, version }: RequestInfo): boolean {
    return this.#ports.cluster.registry
      .all()
      .some((resource) => resource.group === group && resource.version === version);
  }

  #review(resource: ServedResource, context: RequestContext): ApiResponse {
    if (context.info.verb !== 'create') throw methodNotAllowed();
    const { authenticator, authorizer, cluster } = this.#ports;
    const object = decodeObject(resource, parseBody(context.body, resource.kind), context);
    const ports = { authenticator, authorizer, storage: cluster.storage };
    return jsonResponse(201, answerReview(resource.kind, object, context.user, ports));
  }

  #failure(error: unknown, info: RequestInfo): ApiResponse {
    if (!(error instanceof StatusError)) {
      const cause = error instanceof Error ? error : undefined;
      this.#ports.cluster.log.error('A request of the development cluster failed', { path: info.path, error: cause });
    }
    const { status } = error instanceof StatusError ? error : internalError(errorText(error));
    const retry = status.details?.retryAfterSeconds;
    return jsonResponse(status.code, statusBody(status), retry === undefined ? {} : { 'retry-after': String(retry) });
  }
}

/** A list that names one object by a field selector is authorized, and planned faults strike it, as a read of that object. */
function infoOf(request: ApiRequest): RequestInfo {
  const info = requestInfo(request);
  const selector = info.name === '' ? request.query.get('fieldSelector') : null;
  const name = selector === null ? info.name : selectedName(selector);
  return name === info.name || (info.verb !== 'list' && info.verb !== 'watch') ? info : { ...info, name };
}

interface ObjectRoute {
  readonly resource: ServedResource;
  readonly context: RequestContext;
  readonly as: Presentation;
  readonly part: WrittenPart;
}

/** The part of an object a path names, if it is read and written like the object; undefined for other subresources. */
function partOf(resource: ServedResource, { subresource, verb }: RequestInfo): WrittenPart | undefined {
  if (subresource === '') return subresource;
  if (subresource === 'status' && resource.hasStatus) return subresource;
  return subresource === 'finalize' && resource.storage === 'namespaces' && verb === 'update' ? subresource : undefined;
}

const NAMED: ReadonlySet<RequestInfo['verb']> = new Set(['update', 'patch']);

function checkScope(resource: ServedResource, { namespace, name, verb }: RequestInfo): void {
  if (
    (verb === 'create' && name !== '' && !resource.plural.startsWith('serviceaccounts')) ||
    (NAMED.has(verb) && name === '')
  ) {
    throw methodNotAllowed();
  }
  const everywhere = verb === 'list' || verb === 'watch';
  if (resource.namespaced && namespace === '' && !everywhere) throw methodNotAllowed();
  if (!resource.namespaced && namespace !== '' && resource.storage !== 'namespaces') throw noSuchResource();
}

const OPTION_KINDS: Readonly<Record<string, string>> = { create: 'Create', update: 'Update', patch: 'Patch' };

function unknownDryRun({ verb }: RequestInfo, given: string): StatusError {
  const kind = `${OPTION_KINDS[verb] ?? 'Delete'}Options`;
  return invalid({ group: 'meta.k8s.io', kind }, '', [unsupported(['dryRun'], [given], ['All'])]);
}

function notAcceptable(): StatusError {
  const text = '406: Not Acceptable\n\nAvailable representations: application/json';
  return new StatusError(406, 'NotAcceptable', text, { details: {} });
}

function withWarnings(response: ApiResponse, warnings: Warnings): ApiResponse {
  const warning = warnings.header();
  return warning === undefined ? response : { ...response, headers: { ...response.headers, warning } };
}
