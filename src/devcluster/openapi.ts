import type { StructuralSchema } from '../schema/structural.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { objectMeta } from './schema-words.ts';
import type { ServedResource } from './served-resource.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const V3 = '#/components/schemas/';
const V2 = '#/definitions/';
const INFO = { title: 'Kubernetes', version: 'v1.37.2' };

/** The index at /openapi/v3. Addresses carry the registry's version, so that clients read anew after a change. */
export function openApiIndex(registry: ResourceRegistry): object {
  const names = new Set(
    registry.all().map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)),
  );
  const paths = [...names].map(
    (name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${registry.version}` }] as const,
  );
  return { paths: Object.fromEntries(paths) };
}

/** The OpenAPI v3 document of one group and version, or undefined. */
export function openApiV3(registry: ResourceRegistry, path: string): object | undefined {
  const [, root, ...rest] = path.slice('/openapi/v3'.length).split('/');
  const [group, version] = root === 'api' ? ['', rest[0]] : rest;
  const found = registry.all().filter((resource) => resource.group === group && resource.version === version);
  if (found.length === 0) return undefined;
  const schemas = Object.fromEntries([
    [META, objectMeta],
    ...found.map((resource) => [nameOf(resource), definition(resource, V3)] as const),
  ] as const);
  const paths = Object.fromEntries(found.flatMap((resource) => pathsOf(resource)));
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas } };
}

/** The OpenAPI v2 document of everything. Only the JSON form exists here. */
export function openApiV2(registry: ResourceRegistry): object {
  const definitions = registry.all().map((resource) => [nameOf(resource), definition(resource, V2)] as const);
  return {
    swagger: '2.0',
    info: INFO,
    paths: {},
    definitions: Object.fromEntries([[META, objectMeta], ...definitions]),
  };
}

function nameOf({ group, version, kind }: ServedResource): string {
  const reversed = group === '' ? 'io.k8s.api.core' : group.split('.').toReversed().join('.');
  return `${reversed}.${version}.${kind}`;
}

function definition({ group, version, kind, compiled }: ServedResource, refs: string): object {
  const { root } = compiled;
  const text: StructuralSchema = { type: 'string' };
  return {
    ...root,
    properties: {
      apiVersion: { ...text, description: 'Version of the schema this object follows.' },
      kind: { ...text, description: 'Name of the kind of this object.' },
      metadata: { description: "The object's name, labels and other metadata.", allOf: [{ $ref: `${refs}${META}` }] },
      ...withoutType(root),
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

function withoutType({ properties = {} }: StructuralSchema): Readonly<Record<string, StructuralSchema>> {
  const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = properties;
  return rest;
}

/** Clients look here for the parameters a write takes: dry run and field validation. */
function pathsOf(resource: ServedResource): readonly (readonly [string, object])[] {
  const { group, version, kind, plural, namespaced } = resource;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string' },
  }));
  const content = { 'application/json': { schema: { $ref: `${V3}${nameOf(resource)}` } } };
  const operation = (action: string): object => ({
    parameters,
    responses: { 200: { description: 'OK', content } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  const root = `${base}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  return [
    [root, { get: operation('list'), post: operation('post') }],
    [
      `${root}/{name}`,
      { get: operation('get'), put: operation('put'), patch: operation('patch'), delete: operation('delete') },
    ],
  ];
}
