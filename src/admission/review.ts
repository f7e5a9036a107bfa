import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import type { Verdict } from './verdict.ts';

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/** Refuses what is no UTF-8. It keeps nothing between texts, and making one costs as much as a small text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Operations the API server may send; rules are only registered for the first three. */
export type ReviewOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

const OPERATIONS: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] satisfies readonly ReviewOperation[];

/** Who asks, as the API server authenticated them (authentication.k8s.io/v1 UserInfo). */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The request of one AdmissionReview v1. */
export interface Review {
  /** Fresh per call of the hook; not the uid of the object. */
  readonly uid: string;
  readonly operation: ReviewOperation;
  /** Resource in the version our rule asked for, whatever version the client used. */
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty at the mutating stage of a create by generateName. */
  readonly name: string;
  readonly generateName: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** As sent, except that name and namespace of the request are filled in where the object has none. Absent on DELETE. */
  readonly object?: KubeObject;
  /** What is stored now. Absent on CREATE, and on DELETE from some old callers. */
  readonly oldObject?: KubeObject;
}

/** A request body is no AdmissionReview v1, or not one of this hook. Code `HOMEOSTAT_BAD_REVIEW`. */
export class BadReview extends HomeostatError {
  /** The uid of the request as far as it could be read. */
  readonly uid: string;

  constructor(problem: string, uid = '', cause?: unknown) {
    super('HOMEOSTAT_BAD_REVIEW', `The request is no AdmissionReview this hook can answer: ${problem}`, { cause });
    this.uid = uid;
  }
}

/**
 * Reads a request body. JSON.parse keeps a key named `__proto__` as an ordinary own key, which is what a ConfigMap may hold.
 *
 * Throws {@link BadReview} when the body is no JSON, no AdmissionReview of version v1, or lacks what its operation needs.
 */
export function decodeReview(body: Uint8Array): Review {
  const envelope = parse(body);
  if (!isRecord(envelope)) throw new BadReview('the body is no JSON object');
  const request = envelope['request'];
  const uid = isRecord(request) ? textOf(request['uid']) : '';
  if (envelope['apiVersion'] !== API_VERSION || envelope['kind'] !== KIND) {
    throw new BadReview(`apiVersion and kind must be ${API_VERSION} ${KIND}`, uid);
  }
  if (!isRecord(request)) throw new BadReview('"request" is missing');
  if (uid === '') throw new BadReview('"request.uid" is missing');
  return decodeRequest(request, uid);
}

/** The answer for a verdict that was reached: always HTTP 200, in the version v1 that was asked. */
export function encodeReview(uid: string, verdict: Exclude<Verdict, { type: 'fault' }>): string {
  const warnings = verdict.warnings.length === 0 ? {} : { warnings: verdict.warnings };
  return JSON.stringify({
    apiVersion: API_VERSION,
    kind: KIND,
    response: { uid, ...responseOf(verdict), ...warnings },
  });
}

function responseOf(verdict: Exclude<Verdict, { type: 'fault' }>): object {
  if (verdict.type === 'deny') {
    const { code, reason, message, details } = verdict;
    return { allowed: false, status: { metadata: {}, status: 'Failure', code, reason, message, details } };
  }
  if (verdict.patch === undefined || verdict.patch.length === 0) return { allowed: true };
  // Both keys or neither: the API server takes one without the other for a fault.
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(verdict.patch)).toString('base64'),
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(body));
  } catch (error) {
    // The parser's own message quotes the body, which may hold anything; its class is enough.
    throw new BadReview(`the body is no JSON text (${error instanceof Error ? error.name : 'unreadable'})`);
  }
}

function decodeRequest(request: Readonly<Record<string, unknown>>, uid: string): Review {
  const operation = operationOf(request['operation'], uid);
  const namespace = textOf(request['namespace']);
  const name = textOf(request['name']);
  const object = operation === 'CONNECT' ? undefined : objectOf(request, 'object', { name, namespace, uid });
  const oldObject = operation === 'CONNECT' ? undefined : objectOf(request, 'oldObject', { name, namespace, uid });
  if ((operation === 'CREATE' || operation === 'UPDATE') && object === undefined) {
    throw new BadReview(`"request.object" is missing on ${operation}`, uid);
  }
  if (operation === 'UPDATE' && oldObject === undefined) throw new BadReview('"request.oldObject" is missing', uid);
  return {
    uid,
    operation,
    resource: resourceOf(request['resource'], uid),
    subresource: textOf(request['subResource']),
    name: name === '' ? ((object ?? oldObject)?.metadata.name ?? '') : name,
    generateName: textOf(object?.metadata.generateName),
    namespace,
    dryRun: request['dryRun'] === true,
    user: userOf(request['userInfo']),
    ...(object === undefined ? {} : { object }),
    ...(oldObject === undefined ? {} : { oldObject }),
  };
}

function operationOf(value: unknown, uid: string): ReviewOperation {
  if (typeof value === 'string' && OPERATIONS.includes(value)) return value as ReviewOperation; // checked above
  throw new BadReview('"request.operation" is unknown', uid);
}

function resourceOf(value: unknown, uid: string): Review['resource'] {
  if (!isRecord(value) || textOf(value['resource']) === '') throw new BadReview('"request.resource" is missing', uid);
  return { group: textOf(value['group']), version: textOf(value['version']), plural: textOf(value['resource']) };
}

function objectOf(
  request: Readonly<Record<string, unknown>>,
  member: 'object' | 'oldObject',
  identity: { readonly name: string; readonly namespace: string; readonly uid: string },
): KubeObject | undefined {
  const value = request[member];
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value) || !isRecord(value['metadata'])) {
    throw new BadReview(`"request.${member}" is no object with metadata`, identity.uid);
  }
  if (typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') {
    throw new BadReview(`"request.${member}" has no apiVersion and kind`, identity.uid);
  }
  const metadata = {
    ...value['metadata'],
    // Names are generated after mutating admission, and the Pods of some controllers carry no namespace of their own.
    name: textOf(value['metadata']['name']) || identity.name,
    ...(identity.namespace === '' ? {} : { namespace: identity.namespace }),
  };
  // The API server has decoded the metadata of whatever it sends; a create still lacks uid and resourceVersion.
  return { ...value, metadata } as unknown as KubeObject;
}

function userOf(value: unknown): UserInfo {
  if (!isRecord(value)) return { username: '', groups: [], extra: {} };
  const uid = textOf(value['uid']);
  const extra = isRecord(value['extra']) ? value['extra'] : {};
  return {
    username: textOf(value['username']),
    ...(uid === '' ? {} : { uid }),
    groups: textsOf(value['groups']),
    extra: Object.fromEntries(Object.entries(extra).map(([key, texts]) => [key, textsOf(texts)])),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
