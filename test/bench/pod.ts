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

/** What the generated Deployment sets as NODE_OPTIONS. */
export async function deployedNodeOptions(): Promise<string> {
  const file = join(projectFolder, 'manifests', 'manager', 'deployment-homeostat.yaml');
  const [, options] = /name: NODE_OPTIONS\n\s+value: (.*)/.exec(await readFile(file, 'utf8')) ?? [];
  if (options === undefined) throw new Error(`${file} sets no NODE_OPTIONS.`);
  return options;
}
