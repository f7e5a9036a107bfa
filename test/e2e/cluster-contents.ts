import { isRecord } from '../../src/base/json.ts';
import type { ControlPlane } from '../controlplane/start.ts';

/** Resources whose objects come and go by themselves, and outlive what they are about. */
const PASSING = /^(events|componentstatuses)$/;

/** Every object of every resource that the API server can list, Events apart: `pods team-a/x`, in order. */
export async function clusterContents(plane: ControlPlane): Promise<readonly string[]> {
  const found: string[] = [];
  for (const groupVersion of await groupVersions(plane)) {
    for (const resource of members(await read(plane, groupVersion), 'resources')) {
      const { name, verbs } = resource;
      const listable = typeof name === 'string' && Array.isArray(verbs) && verbs.includes('list');
      if (!listable || name.includes('/') || PASSING.test(name)) continue;
      const items = members(await read(plane, `${groupVersion}/${name}`), 'items');
      found.push(...items.map((item) => `${groupVersion.replace(/^\/apis?\//, '')}/${name} ${keyOf(item)}`));
    }
  }
  return found.toSorted();
}

async function groupVersions(plane: ControlPlane): Promise<readonly string[]> {
  const groups = members(await read(plane, '/apis'), 'groups');
  const preferred = groups.map(({ preferredVersion }) =>
    isRecord(preferredVersion) ? `/apis/${String(preferredVersion['groupVersion'])}` : '',
  );
  return ['/api/v1', ...preferred];
}

/** A resource that has just gone has no answer, and nothing in it. */
async function read(plane: ControlPlane, path: string): Promise<unknown> {
  const { code, body } = await plane.request('GET', path);
  return code === 200 ? body : {};
}

function members(list: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const items = isRecord(list) ? list[name] : undefined;
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

function keyOf({ metadata }: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  return typeof namespace === 'string' ? `${namespace}/${String(name)}` : String(name);
}
