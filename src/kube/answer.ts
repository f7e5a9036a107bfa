import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { apiVersionOf, type ResourceType } from '../base/resource.ts';
import { AnswerError, type RequestTarget, toStatus } from './api-error.ts';
import type { ObjectPage, Status, WatchFrame } from './client.ts';

/** What an answer is expected to be, for its check and for the message when it is not. */
export interface Expected {
  readonly type: Pick<ResourceType, 'group' | 'version' | 'kind'>;
  readonly target: RequestTarget;
}

/**
 * Parses a body. The parser's error is dropped since it quotes the text.
 *
 * @throws AnswerError when it is not JSON.
 */
export function parseAnswer(body: string, target: RequestTarget): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new AnswerError(target, 'is not JSON');
  }
}

/**
 * Takes a value as an object of the expected kind. A missing apiVersion and kind are filled in, as lists of built-in resources
 * omit them in their items; so are those of an object of which only the metadata was asked for.
 *
 * @throws AnswerError when it is of another kind or has no metadata.
 */
export function toObject(value: unknown, { type, target }: Expected): Unstructured {
  if (!isRecord(value) || !isRecord(value['metadata'])) throw new AnswerError(target, 'holds no Kubernetes object');
  const apiVersion = apiVersionOf(type);
  const complete = value['apiVersion'] === apiVersion && value['kind'] === type.kind;
  const named = value['kind'] !== undefined || value['apiVersion'] !== undefined;
  if (!complete && named && !isMetadataAlone(value, 'PartialObjectMetadata')) {
    throw new AnswerError(target, `is a ${name(value)}, not a ${apiVersion} ${type.kind}`);
  }
  // Raw JSON enters here: metadata was checked to be an object, and the API server gives each stored object name and version.
  return (complete ? value : { ...value, apiVersion, kind: type.kind }) as Unstructured;
}

/** What a client over `metadataTransport` is answered. */
function isMetadataAlone(value: Readonly<Record<string, unknown>>, kind: string): boolean {
  return value['kind'] === kind && value['apiVersion'] === 'meta.k8s.io/v1';
}

/**
 * Takes a value as one page of a list.
 *
 * @throws AnswerError when it is a Table or a list of something else.
 */
export function toPage(value: unknown, expected: Expected): ObjectPage {
  const { type, target } = expected;
  if (!isRecord(value) || !isRecord(value['metadata'])) throw new AnswerError(target, 'is no list');
  const { kind, items, metadata } = value;
  // The kind of a custom resource's list is free (spec.names.listKind), its apiVersion is not; Go writes an empty list as null.
  const expectedList =
    value['apiVersion'] === apiVersionOf(type) || isMetadataAlone(value, 'PartialObjectMetadataList');
  if (kind === 'Table' || !expectedList || !(Array.isArray(items) || items === null)) {
    throw new AnswerError(target, `is a ${name(value)}, not a list of ${apiVersionOf(type)} ${type.kind}`);
  }
  const { resourceVersion, continue: continueToken, remainingItemCount } = metadata;
  return {
    items: (items ?? []).map((item: unknown) => toObject(item, expected)),
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continueToken: typeof continueToken === 'string' ? continueToken : '',
    ...(typeof remainingItemCount === 'number' ? { remainingItemCount } : {}),
  };
}

/**
 * Takes a value as the answer of a delete: the object, while finalizers hold it, or a Status.
 *
 * @throws AnswerError when it is neither.
 */
export function toDeleted(value: unknown, expected: Expected): Unstructured | Status {
  return isRecord(value) && value['kind'] === 'Status' ? toStatus(value) : toObject(value, expected);
}

/**
 * Takes one parsed line of a watch as a frame.
 *
 * @throws AnswerError when it is none, or its object is of another kind.
 */
export function toFrame(value: unknown, expected: Expected): WatchFrame {
  if (!isRecord(value)) throw new AnswerError(expected.target, 'holds a line that is no watch frame');
  const { type, object } = value;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object: toObject(object, expected) };
    case 'ERROR':
      return { type, status: toStatus(object) };
    default:
      throw new AnswerError(expected.target, 'holds a watch frame of an unknown type');
  }
}

/** The kind an answer claims, bounded: it is foreign text on its way into a message. */
function name(value: Readonly<Record<string, unknown>>): string {
  const parts = [value['apiVersion'], value['kind']].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'document without a kind' : parts.join(' ').slice(0, 80);
}
