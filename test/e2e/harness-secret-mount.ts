import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/start.ts';

/** A Secret that is mounted into a folder. */
export interface MountedSecret {
  readonly folder: string;
  /** Stops following the Secret. */
  close(): Promise<void>;
}

/**
 * Mounts a Secret as the kubelet does: files lie in a folder of their own, `..data` points at it by a link that is replaced in
 * one rename, and the names in the mount are links through `..data`. An absent Secret leaves the mount empty (`optional`). A change
 * is mounted `lagMs` after it was seen.
 */
export function mountSecret(
  plane: Pick<ControlPlane, 'request'>,
  secret: { readonly namespace: string; readonly name: string },
  folder: string,
  lagMs = 0,
): MountedSecret {
  const stop = new AbortController();
  const followed = follow(plane, secret, { folder, lagMs, signal: stop.signal });
  return {
    folder,
    close: async () => {
      stop.abort();
      await followed;
    },
  };
}

/** The part of a Secret that is mounted. */
interface SecretData {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

async function follow(
  plane: Pick<ControlPlane, 'request'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { folder, lagMs, signal }: { readonly folder: string; readonly lagMs: number; readonly signal: AbortSignal },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  let seen = '';
  while (!signal.aborted) {
    const { code, body } = await plane.request('GET', `/api/v1/namespaces/${namespace}/secrets/${name}`);
    // A v1 Secret, as answered with 200.
    const secret = body as SecretData;
    if (code === 200 && secret.metadata.resourceVersion !== seen) {
      await delay(lagMs, undefined, { signal }).catch(() => undefined); // rejects only when the signal fires
      await writeAtomically(folder, secret.data ?? {});
      seen = secret.metadata.resourceVersion;
    }
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
}

async function writeAtomically(folder: string, data: Readonly<Record<string, string>>): Promise<void> {
  const current = join(folder, '..data');
  const before = await readlink(current).catch(() => undefined);
  const payload = await mkdtemp(join(folder, '..payload-'));
  for (const [file, value] of Object.entries(data)) await writeFile(join(payload, file), Buffer.from(value, 'base64'));
  await symlink(payload.slice(folder.length + 1), join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), current);
  for (const file of Object.keys(data))
    await symlink(join('..data', file), join(folder, file)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true });
}
