import { isRecord } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { formatRef } from '../base/resource.ts';
import type { Installed, Inventory, OwnObject } from './installed-objects.ts';

/** What is to be removed. */
export interface UninstallScope {
  /** Objects of our kinds stay, and so do their definitions. */
  readonly keepObjects: boolean;
  /** The definitions go too. */
  readonly crds: boolean;
  /** Finalizers of ours are taken off instead of being waited for. */
  readonly removeFinalizers: boolean;
}

/** The plan as a person reads it before anything happens, in the order in which it is carried out. */
export function planLines(inventory: Inventory, scope: UninstallScope): readonly string[] {
  const { configurations, objects, deployments, rest, uninstaller, definitions, namespace } = inventory;
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Webhook configurations, so that nothing waits for this service any more', refs(configurations)],
    [
      scope.removeFinalizers
        ? 'Objects, without their finalizers: what they keep elsewhere stays behind'
        : 'Objects, and what their controllers made for them',
      scope.keepObjects ? [] : objects.map(objectLine),
    ],
    ['Deployments', refs(deployments)],
    ['Definitions', scope.crds ? refs(definitions) : []],
    ['Rights, certificates and the rest', refs(rest)],
    ['The namespace, with everything in it', namespace === undefined ? [] : refs([namespace])],
    ['The rights by which this is done', refs(uninstaller)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines], index) => [`${index + 1}. ${title}:`, ...lines.map((line) => `     ${line}`)])
    .concat(keptLines(inventory, scope));
}

/** Nothing of an installation is there. */
export function isEmpty({ namespace, ...parts }: Inventory): boolean {
  const found = Object.values(parts).flat();
  return found.length === 0 && namespace === undefined;
}

/** `Environment team-a/dev`. */
export function refText({ type, key }: Installed): string {
  return formatRef({ kind: type.kind, ...key });
}

function refs(objects: readonly Installed[]): readonly string[] {
  return objects.map(refText);
}

function objectLine(own: OwnObject): string {
  const policy = specOf(own.object)['deletionPolicy'];
  return typeof policy === 'string' ? `${refText(own)}  (deletionPolicy ${policy})` : refText(own);
}

/** Objects whose authors have said that they must not be deleted. */
export function protectedObjects({ objects }: Inventory): readonly OwnObject[] {
  return objects.filter(({ object }) => isProtected(object));
}

/** Whether its author has said that an object must not be deleted. */
export function isProtected(object: KubeObject): boolean {
  return specOf(object)['preventDeletion'] === true;
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  const spec = 'spec' in object ? object.spec : undefined;
  return isRecord(spec) ? spec : {};
}

function keptLines({ objects, definitions }: Inventory, { keepObjects, crds }: UninstallScope): readonly string[] {
  const kept: string[] = [];
  if (keepObjects && objects.length > 0)
    kept.push(`${objects.length} objects stay as they are, with their finalizers.`);
  if (!crds && definitions.length > 0) kept.push(`${definitions.length} definitions stay; --crds removes them too.`);
  return kept;
}
