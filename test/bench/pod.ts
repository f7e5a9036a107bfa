import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { benchNamespace } from './workload.ts';

/** A folder as the kubelet mounts it into a Pod: a kubeconfig would load a library that production never does. */
export async function podCredentials(plane: ControlPlane, token: string): Promise<string> {
  const directory = await mkdtemp(join(plane.folder, 'credentials-'));
  const files = { 'ca.crt': plane.ca, namespace: benchNamespace, token };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o600 });
  return directory;
}

/** What the generated Deployment sets for Node and its allocator. */
export async function deployedEnvironment(): Promise<Readonly<Record<string, string>>> {
  const file = join(projectFolder, 'manifests', 'manager', 'deployment-homeostat.yaml');
  const text = await readFile(file, 'utf8');
  const valueOf = (name: string): string => {
    const [, value] = new RegExp(`name: ${name}\\n\\s+value: "?([^"\\n]*)`).exec(text) ?? [];
    if (value === undefined) throw new Error(`${file} sets no ${name}.`);
    return value;
  };
  return Object.fromEntries(['NODE_OPTIONS', 'MALLOC_ARENA_MAX'].map((name) => [name, valueOf(name)]));
}
