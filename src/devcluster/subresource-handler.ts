import type { Unstructured } from '../base/object.ts';
import { formatKey } from '../base/resource.ts';
import type { Authenticator } from './authentication.ts';
import type { Cluster } from './cluster.ts';
import { type ApiResponse, jsonResponse } from './exchange.ts';
import { applyJsonPatch, PatchFailure } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { parseBody } from './object-decoder.ts';
import type { ObjectWriter } from './object-writer.ts';
import { memberAt, recordAt, textAt, textsAt, withMember } from './raw-json.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource, ScalePaths } from './served-resource.ts';
import {
  badRequest,
  internalError,
  methodNotAllowed,
  noSuchResource,
  notFound,
  notImplemented,
} from './status-error.ts';
import { keyIn, optionsOf } from './write-handler.ts';

const HOUR_SECONDS = 3600;

/** What answering subresources needs. */
export interface SubresourcePorts {
  readonly cluster: Cluster;
  readonly writer: ObjectWriter;
  readonly authenticator: Authenticator;
}

/** Answers the subresources that are not the object itself: scale, and the token of a ServiceAccount. */
export class SubresourceHandler {
  readonly #ports: SubresourcePorts;

  constructor(ports: SubresourcePorts) {
    this.#ports = ports;
  }

  async handle(resource: ServedResource, context: RequestContext): Promise<ApiResponse> {
    const { subresource } = context.info;
    if (subresource === 'scale' && resource.scale !== undefined) return this.#scale(resource, resource.scale, context);
    if (subresource === 'token' && resource.storage === 'serviceaccounts') return this.#token(resource, context);
    if (resource.storage === 'pods') throw notImplemented(`there is no kubelet, so pods/${subresource} is not served`);
    throw noSuchResource();
  }

  #token(resource: ServedResource, context: RequestContext): ApiResponse {
    if (context.info.verb !== 'create') throw methodNotAllowed();
    const account = this.#read(resource, context);
    const request = parseBody(context.body, 'TokenRequest');
    const given = memberAt(request, ['spec', 'expirationSeconds']);
    const seconds = typeof given === 'number' ? given : HOUR_SECONDS;
    const issued = this.#ports.authenticator.issue(account, {
      seconds,
      audiences: textsAt(request, 'spec', 'audiences'),
    });
    const { token, expirationTimestamp, audiences } = issued;
    const { name, namespace, uid } = account.metadata;
    return jsonResponse(201, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: account.metadata.creationTimestamp },
      spec: { ...recordAt(request, 'spec'), audiences, expirationSeconds: Math.max(600, seconds) },
      status: { token, expirationTimestamp },
    });
  }

  async #scale(resource: ServedResource, paths: ScalePaths, context: RequestContext): Promise<ApiResponse> {
    const { verb } = context.info;
    if (verb === 'get') return jsonResponse(200, scaleOf(resource, paths, this.#read(resource, context)));
    if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
    const change = {
      resource,
      key: keyIn(resource, context),
      subresource: 'scale',
      tracked: false,
      options: optionsOf('UpdateOptions', context),
      next: (current: Unstructured): Unstructured => {
        const wanted = verb === 'update' ? parseBody(context.body, 'Scale') : patchedScale(paths, current, context);
        const replicas = memberAt(wanted, ['spec', 'replicas']) ?? 0;
        const version = textAt(wanted, 'metadata', 'resourceVersion');
        const scaled = withMember(current, paths.specReplicas, replicas);
        return version === '' ? scaled : withMember(scaled, ['metadata', 'resourceVersion'], version);
      },
    } as const;
    const { object } = await this.#ports.writer.change(change, context);
    return jsonResponse(200, scaleOf(resource, paths, object));
  }

  #read(resource: ServedResource, context: RequestContext): Unstructured {
    const stored = this.#ports.cluster.storage.get(resource.storage, formatKey(keyIn(resource, context)));
    if (stored === undefined) throw notFound(resource, context.info.name);
    return resource.fromStorage(stored);
  }
}

function patchedScale(paths: ScalePaths, current: Unstructured, { headers, body }: RequestContext): object {
  const scale = { metadata: {}, spec: { replicas: memberAt(current, paths.specReplicas) ?? 0 } };
  try {
    const patch: unknown = JSON.parse(body);
    const type = headers['content-type']?.split(';')[0];
    const result =
      type === 'application/json-patch+json' ? applyJsonPatch(scale, patch) : applyMergePatch(scale, patch);
    // A patched scale is read member by member below; one that is no object has no members.
    return Object(result) as object;
  } catch (error) {
    throw badRequest(error instanceof PatchFailure ? error.message : 'error decoding patch: it is not JSON');
  }
}

function scaleOf(resource: ServedResource, paths: ScalePaths, object: Unstructured): object {
  const replicas = memberAt(object, paths.specReplicas);
  if (replicas === undefined && resource.custom) {
    throw internalError(`the spec replicas field ".${paths.specReplicas.join('.')}" does not exist`);
  }
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.labelSelector === undefined ? '' : textAt(object, ...paths.labelSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: replicas ?? 0 },
    status: { replicas: memberAt(object, paths.statusReplicas) ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}
