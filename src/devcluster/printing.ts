import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { Column, ServedResource } from './served-resource.ts';

/** How a client wants to see objects. */
export type Presentation = 'object' | 'table' | 'metadata';

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*']);

/** Reads an Accept header: the first entry that can be served decides. Undefined when none can. */
export function presentationOf(accept: string | undefined): Presentation | undefined {
  if (accept === undefined || accept === 'application/json' || accept.trim() === '') return 'object';
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
    const version = parameters.find((parameter) => parameter.startsWith('v='))?.slice('v='.length);
    if (!JSON_TYPES.has(type)) continue;
    if (as === undefined) return 'object';
    if (version !== undefined && version !== 'v1') continue;
    if (as === 'Table') return 'table';
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return 'metadata';
  }
  return undefined;
}

/** One object as the client wants it. */
export function present(object: Unstructured, as: Presentation, context: PrintContext): object {
  switch (as) {
    case 'object':
      return object;
    case 'metadata':
      return partial(object);
    case 'table':
      return table([object], { resourceVersion: object.metadata.resourceVersion }, context);
  }
}

/** What printing needs beside the object. */
export interface PrintContext {
  readonly resource: ServedResource;
  /** `includeObject` of the query. */
  readonly includeObject: string;
  readonly now: number;
}

/** A list as the client wants it. */
export function presentList(
  items: readonly Unstructured[],
  metadata: Readonly<Record<string, unknown>>,
  as: Presentation,
  context: PrintContext,
): object {
  const { resource } = context;
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  switch (as) {
    case 'object':
      return {
        kind: resource.listKind,
        apiVersion,
        // The list of a custom resource shows an empty token, the typed lists of built-in kinds leave it out.
        metadata: resource.custom ? { continue: '', ...metadata } : metadata,
        items: resource.custom ? items : items.map(({ apiVersion: _v, kind: _k, ...item }) => item),
      };
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: items.length === 0 ? null : items.map(partial),
      };
    case 'table':
      return table(items, metadata, context);
  }
}

function partial(object: Unstructured): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

function table(
  items: readonly Unstructured[],
  metadata: Readonly<Record<string, unknown>>,
  { resource, includeObject, now }: PrintContext,
): object {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: resource.columns.map(({ name, type, format = '', description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    rows: items.map((object) => ({
      cells: resource.columns.map((column) => cellOf(column, object, now)),
      object: includeObject === 'None' ? null : includeObject === 'Object' ? object : partial(object),
    })),
  };
}

function cellOf(column: Column, object: Unstructured, now: number): unknown {
  const cell = column.cell(object, now);
  return isRecord(cell) || Array.isArray(cell) ? JSON.stringify(cell) : (cell ?? null);
}
