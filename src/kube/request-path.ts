import { HomeostatError } from '../base/errors.ts';
import { groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { DeleteOptions, ListQuery, WatchQuery, WriteOptions } from './client.ts';

/** Query parameters; absent and empty ones are left out. */
type Parameters = Readonly<Record<string, string | undefined>>;

/**
 * Path of a collection: `/api/v1/namespaces/team-a/configmaps`. Without a namespace, and for cluster-scoped resources, the
 * collection of the whole cluster.
 */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root =
    type.group === '' ? `/api/${segment(type.version)}` : `/apis/${segment(type.group)}/${segment(type.version)}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${scope}/${segment(type.plural)}`;
}

/**
 * Path of one object, or of one of its subresources.
 *
 * @throws HomeostatError `HOMEOSTAT_API_REQUEST` when the key does not fit the resource: no name, a namespace where none
 * belongs, none where one does.
 */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  const namespace = namespaceOf(type, key.namespace);
  const path = `${collectionPath(type, namespace)}/${segment(key.name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/**
 * Path that an object is created at.
 *
 * @throws HomeostatError `HOMEOSTAT_API_REQUEST` as {@link objectPath} does.
 */
export function creationPath(type: ResourceType, namespace: string | undefined): string {
  return collectionPath(type, namespaceOf(type, namespace));
}

/** Query of a list, with its leading `?`, or empty. */
export function listQueryText(query: ListQuery): string {
  return queryText({
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    limit: query.limit === undefined ? undefined : String(query.limit),
    continue: query.continueToken,
    resourceVersion: query.resourceVersion,
    resourceVersionMatch: query.resourceVersionMatch,
  });
}

/** Query of a watch. Bookmarks are always asked for; a streaming list also needs to say how its version is meant. */
export function watchQueryText(query: WatchQuery): string {
  const streaming = query.sendInitialEvents === true;
  return queryText({
    watch: '1',
    allowWatchBookmarks: 'true',
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    resourceVersion: query.resourceVersion,
    timeoutSeconds: String(query.timeoutSeconds),
    sendInitialEvents: streaming ? 'true' : undefined,
    resourceVersionMatch: streaming ? 'NotOlderThan' : undefined,
  });
}

/**
 * Query of a write. Unknown and duplicate fields are always errors (`fieldValidation=Strict`): a field that the server drops
 * in silence would be a drift that never heals.
 */
export function writeQueryText(options: WriteOptions, force = false): string {
  return queryText({
    fieldManager: options.fieldManager,
    fieldValidation: 'Strict',
    dryRun: options.dryRun === true ? 'All' : undefined,
    force: force ? 'true' : undefined,
  });
}

/** Body of a delete: metav1.DeleteOptions. */
export function deleteBody(options: DeleteOptions): string {
  const { uid, resourceVersion, propagationPolicy } = options;
  const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy });
}

function namespaceOf(type: ResourceType, namespace: string | undefined): string | undefined {
  const given = namespace !== undefined && namespace !== '';
  if (given === type.namespaced) return namespace;
  const what = type.namespaced
    ? 'needs a namespace and got none'
    : `has no namespace and got ${JSON.stringify(namespace)}`;
  throw new HomeostatError('HOMEOSTAT_API_REQUEST', `The resource ${groupResourceOf(type)} ${what}.`);
}

/** Dots alone would climb the path and an empty segment would name the collection: neither may reach the server. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new HomeostatError('HOMEOSTAT_API_REQUEST', `${JSON.stringify(text)} cannot be part of a request path.`);
  }
  return encodeURIComponent(text);
}

function queryText(parameters: Parameters): string {
  let text = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
