import { HomeostatError, invariant } from '../base/errors.ts';
import { isRecord, jsonEqual } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { applyPatch, diffJson, type PatchOperation } from './json-patch.ts';
import type { AdmissionSlice } from './slice.ts';

/** What the API server or another writer owns; a patch of these is refused there or loses data. */
const NEVER_PATCHED: readonly string[] = [
  '/apiVersion',
  '/kind',
  '/status',
  '/metadata/name',
  '/metadata/generateName',
  '/metadata/namespace',
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/creationTimestamp',
  '/metadata/deletionTimestamp',
  '/metadata/deletionGracePeriodSeconds',
  '/metadata/ownerReferences',
  '/metadata/managedFields',
];

/** A patch reaches the audit log and is applied under the API server's lock on the request. */
const MAX_PATCH_BYTES = 256 * 1024;

/** A mutator broke its promise. Code `HOMEOSTAT_MUTATION_REFUSED`; nothing of its patch is sent. */
export class MutationRefused extends HomeostatError {
  constructor(kind: string, problem: string) {
    super('HOMEOSTAT_MUTATION_REFUSED', `The mutator of ${kind} ${problem}; correct it, nothing was sent`);
  }
}

/**
 * The patch that completes an object; empty when the mutator changes nothing. It touches only what the mutator changed, and it
 * has been applied and compared here, since a patch that does not apply refuses the request even under Ignore.
 *
 * Throws {@link MutationRefused} when the mutator changes identity, status, ownership or managed fields, makes a valid object
 * invalid, writes a number JSON cannot carry exactly, or makes a patch over 256 KiB.
 */
export function mutationPatch(
  slice: Pick<AdmissionSlice, 'type' | 'schema' | 'mutate'>,
  object: KubeObject,
): readonly PatchOperation[] {
  if (slice.mutate === undefined) return [];
  const mutated = slice.mutate(object);
  if (mutated === object) return [];
  const { kind } = slice.type;
  const patch = diffJson(object, mutated);
  if (patch.length === 0) return [];
  for (const operation of patch) checkOperation(kind, operation);
  const patched = applyPatch(object, patch);
  invariant(jsonEqual(patched, mutated), `the patch of ${kind} gives what its mutator returned`);
  if (Buffer.byteLength(JSON.stringify(patch)) > MAX_PATCH_BYTES) {
    throw new MutationRefused(kind, 'makes a patch of more than 256 KiB');
  }
  const { schema } = slice;
  // It equals what the mutator returned, which is an object of the kind.
  if (schema.violations(schema.prepare(patched as KubeObject)).length > 0 && isValid(schema, object)) {
    throw new MutationRefused(kind, 'makes a valid object invalid');
  }
  return patch;
}

function isValid(schema: AdmissionSlice['schema'], object: KubeObject): boolean {
  return schema.violations(schema.prepare(object)).length === 0;
}

function checkOperation(kind: string, operation: PatchOperation): void {
  const { path } = operation;
  const taken = NEVER_PATCHED.find((owned) => path === owned || path.startsWith(`${owned}/`));
  if (taken !== undefined || path === '' || path === '/metadata') {
    throw new MutationRefused(kind, `changes ${path === '' ? 'the whole object' : path}, which is not its to change`);
  }
  if (operation.op !== 'remove' && !isExact(operation.value)) {
    throw new MutationRefused(kind, `writes at ${path} a number that JSON cannot carry exactly`);
  }
}

/** JSON.parse rounds integers beyond 2^53, so a value that holds one is not what its author wrote. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (Array.isArray(value)) return value.every(isExact);
  return !isRecord(value) || Object.values(value).every(isExact);
}
