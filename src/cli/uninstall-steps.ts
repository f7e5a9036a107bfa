import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import { ApiError } from '../kube/api-error.ts';
import { isConflict, isForbidden, isNotFound, isUnauthorized } from '../kube/api-error-predicates.ts';
import { findObject } from '../kube/find-object.ts';
import { DEPLOYMENTS } from '../manifests/installed-resources.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import { failedCall } from './failed-call.ts';
import {
  type Installed,
  type Inventory,
  type InventoryOptions,
  type OwnObject,
  ownObjects,
} from './installed-objects.ts';
import { isProtected, refText, type UninstallScope } from './uninstall-plan.ts';

/** What an uninstallation is carried out with. */
export interface UninstallOptions extends InventoryOptions {
  readonly scope: UninstallScope;
  /** How long each wait may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Hears a sentence about what is done. */
  readonly tell: (line: string) => void;
}

/** Finalizers that this service puts on its objects. */
const OWN_FINALIZER = /^homeostat\.io\//;

/** Time between two looks at what is still there. */
const LOOK_MS = 500;

/** What is waited for is told again after this when it has changed, and after that when it has not. */
const CHANGE_MS = 3000;
const TELL_MS = 15_000;

/** Looks for objects that came while others went. */
const ROUNDS = 5;

/** Objects named in one line; the others are counted. */
const NAMED = 3;

/** Something is still there after the time. Code `HOMEOSTAT_UNINSTALL_HELD`; the message names it, why, and what is gone already. */
export class UninstallHeld extends HomeostatError {
  constructor(message: string) {
    super('HOMEOSTAT_UNINSTALL_HELD', message);
    this.name = 'UninstallHeld';
  }
}

/**
 * Removes an installation, each part when nothing needs it any more: first the webhook configurations, while there is somebody to
 * answer, then the objects, while their controllers run, then the service, and what it stood on. May be repeated at any point.
 *
 * Rejects with {@link UninstallHeld} when something is not gone in time; all that comes after it is untouched then.
 */
export async function carryOut(inventory: Inventory, options: UninstallOptions): Promise<void> {
  const { scope } = options;
  await removeAll(inventory.configurations, options);
  if (!scope.keepObjects) await removeAllObjects(inventory.objects, options);
  await removeAll(inventory.deployments, options);
  await gone(inventory.deployments, options);
  if (scope.crds) await removeDefinitions(inventory.definitions, options);
  await removeAll(inventory.rest, options);
  const namespaces = inventory.namespace === undefined ? [] : [inventory.namespace];
  await removeAll(namespaces, options);
  await removeOwnRights(inventory.uninstaller, options);
  await gone(namespaces, options);
}

/** Asked for at once: each of them takes away the right to ask for the others. */
async function removeOwnRights(objects: readonly Installed[], options: UninstallOptions): Promise<void> {
  const removeOne = async (object: Installed): Promise<void> => {
    try {
      await removeAll([object], options);
    } catch (error) {
      if (!isForbidden(error) && !isUnauthorized(error)) throw error;
      options.tell(`${refText(object)} is left, as the right to delete it is gone: delete it as an administrator`);
    }
  };
  await Promise.all(objects.map(removeOne));
}

async function removeAll(objects: readonly Installed[], options: UninstallOptions): Promise<void> {
  for (const object of objects) {
    if (await remove(object, options)) options.tell(`Deleted ${refText(object)}`);
  }
}

/** Asks for a deletion; false where there was nothing to delete. */
async function remove({ type, key }: Installed, { client, signal }: UninstallOptions): Promise<boolean> {
  try {
    // A Deployment is gone when its Pods are.
    await client.delete(type, key, { signal, ...(type === DEPLOYMENTS ? { propagationPolicy: 'Foreground' } : {}) });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * The objects that were there, and those that came while they went: nobody refuses them any more, and their finalizers would have nobody to
 * take them off. Rejects with {@link UninstallHeld} when more keep coming.
 */
async function removeAllObjects(found: readonly OwnObject[], options: UninstallOptions): Promise<void> {
  let left = found;
  for (let round = 0; left.length > 0; round++) {
    if (round === ROUNDS) {
      throw new UninstallHeld(
        `Objects keep coming, the last of them ${list(left.map(refText))}. The controllers still run, and no webhook is left. Stop whoever creates them and run the command again`,
      );
    }
    await removeObjects(left, options);
    left = await ownObjects(options);
  }
}

/** Kind by kind, those that others rest on last: a controller that cleans up still finds what it was configured by. */
async function removeObjects(objects: readonly OwnObject[], options: UninstallOptions): Promise<void> {
  const kinds = [...new Set(objects.map(({ type }) => type))];
  for (const type of kinds) {
    const members = objects.filter((own) => own.type === type);
    options.tell(`Deleting ${members.length} ${wordFor(type, members.length, options)}`);
    for (const own of members) {
      const there = await removeUnprotected(own, options);
      if (there && options.scope.removeFinalizers) await release(own, options);
    }
    await waitFor(
      async () =>
        (await ownObjects({ ...options, kinds: options.kinds.filter((kind) => kind.type === type) })).filter(
          isDeleting,
        ),
      options,
    );
  }
}

/** As {@link remove}: of what nobody has protected since it was looked at, which no webhook tells any more. */
async function removeUnprotected({ type, key }: OwnObject, { client, signal }: UninstallOptions): Promise<boolean> {
  for (;;) {
    const object = await findObject(client, type, key, { signal });
    if (object === undefined) return false;
    if (isProtected(object)) {
      throw new UninstallHeld(
        `${refText({ type, key })} has spec.preventDeletion by now. The webhooks are gone, the controllers still run; set it to false, or leave the objects with --keep-objects, and run the command again`,
      );
    }
    const { uid, resourceVersion } = object.metadata;
    try {
      await client.delete(type, key, { uid, resourceVersion, signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) throw error;
    }
  }
}

function wordFor(type: ResourceType, count: number, { kinds }: UninstallOptions): string {
  const kind = kinds.find((candidate) => candidate.type === type);
  return count === 1 ? (kind?.singular ?? type.kind) : type.plural;
}

function isDeleting({ object }: OwnObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Takes our finalizers off and leaves those of others. API servers forget a webhook a moment after its configuration is gone, and ask
 * it until then: a call that fails is sent again.
 */
async function release(own: OwnObject, options: UninstallOptions): Promise<void> {
  const { clock, timeoutMs, signal, tell } = options;
  const endsAt = clock.monotonic() + timeoutMs;
  for (;;) {
    try {
      await dropFinalizers(own, options);
      return tell(`Took our finalizers off ${refText(own)}`);
    } catch (error) {
      if (isNotFound(error)) return;
      const passing = isConflict(error) || (error instanceof ApiError && failedCall(error.statusMessage) !== undefined);
      if (!passing || clock.monotonic() >= endsAt) throw error;
      await sleep(clock, LOOK_MS, signal);
    }
  }
}

async function dropFinalizers({ type, key }: OwnObject, { client, signal }: UninstallOptions): Promise<void> {
  const { metadata } = await client.get(type, key, { signal });
  const finalizers = (metadata.finalizers ?? []).filter((name) => !OWN_FINALIZER.test(name));
  const body = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } };
  await client.patch(type, key, { type: 'merge', body }, { signal, fieldManager: 'homeostat-uninstall' });
}

/** Definitions go when none of their objects is left: deleting one deletes all of its objects, whoever made them. */
async function removeDefinitions(definitions: readonly Installed[], options: UninstallOptions): Promise<void> {
  const left = await ownObjects(options);
  if (left.length > 0) {
    throw new UninstallHeld(
      `The definitions stay: ${list(left.map(refText))} came meanwhile and would be deleted with them. Webhooks, controllers and all other objects are gone; delete these or run the command again`,
    );
  }
  await removeAll(definitions, options);
  await gone(definitions, options);
}

async function gone(objects: readonly Installed[], options: UninstallOptions): Promise<void> {
  const { client, signal } = options;
  const read = async (installed: Installed): Promise<readonly (Installed & { readonly object: KubeObject })[]> => {
    try {
      return [{ ...installed, object: await client.get(installed.type, installed.key, { signal }) }];
    } catch (error) {
      // Our own rights may have gone with what we have deleted; there is nothing more to do for us.
      if (isNotFound(error) || isForbidden(error) || isUnauthorized(error)) return [];
      throw error;
    }
  };
  await waitFor(async () => (await Promise.all(objects.map(read))).flat(), options);
}

type Waited = Installed & { readonly object: KubeObject };

/** Waits until a look finds nothing, and tells what it waits for whenever that changes, and now and then. */
async function waitFor(look: () => Promise<readonly Waited[]>, options: UninstallOptions): Promise<void> {
  const { clock, timeoutMs, signal, tell } = options;
  const endsAt = clock.monotonic() + timeoutMs;
  let [told, toldAt] = ['', clock.monotonic()];
  for (;;) {
    const left = await look();
    if (left.length === 0) return;
    const now = clock.monotonic();
    if (now >= endsAt) throw new UninstallHeld(heldText(left, timeoutMs));
    const line = `Waiting for ${list(left.map(whyText))}`;
    const due = now - toldAt >= (line === told ? TELL_MS : CHANGE_MS);
    if (told === '' || due) {
      tell(line);
      [told, toldAt] = [line, now];
    }
    await sleep(clock, LOOK_MS, signal);
  }
}

function heldText(left: readonly Waited[], timeoutMs: number): string {
  const [first] = left;
  const finalizers = first?.object.metadata.finalizers ?? [];
  const ours = finalizers.some((name) => OWN_FINALIZER.test(name));
  const advice = ours
    ? 'Mend what it says and run the command again, or give --remove-finalizers, which leaves behind what the object keeps elsewhere'
    : 'See who holds it and run the command again';
  const holds = finalizers.length === 0 ? '' : ` It is held by ${finalizers.join(', ')}.`;
  return `Still there after ${timeoutMs / 1000} s: ${list(left.map(whyText))}.${holds} What comes after it is untouched, and no webhook is left. ${advice}`;
}

/** The object, and what it says of the wait: by its Ready condition, or a definition by what keeps the API server from ending it. */
function whyText({ type, key, object }: Waited): string {
  const conditions = conditionsOf(object);
  const held = conditions.find(({ type: name, status }) => name === 'Terminating' && status === 'True');
  const message = (conditionOf(conditions, 'Ready') ?? held)?.message ?? '';
  return message === '' ? refText({ type, key }) : `${refText({ type, key })} (${message})`;
}

function list(texts: readonly string[]): string {
  const more = texts.length - NAMED;
  return [...texts.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
