// Builds what is missing for the test control plane. Progress goes to standard error; standard output is for KUBEBUILDER_ASSETS.
//   npm run --silent controlplane              everything the suites need; prints the folder of kube-apiserver and its kin
//   npm run --silent controlplane -- NAME...   the named modules (programs.ts); prints their folders, one a line
import { dirname } from 'node:path';
import { type BuildOptions, builtModule } from './module-cache.ts';
import { certManager, programPath, vaultProgram } from './program-path.ts';
import { type ProgramName, programModules } from './programs.ts';

const options: BuildOptions = { progress: (line) => void process.stderr.write(`${line}\n`) };

async function folders(names: readonly string[]): Promise<readonly string[]> {
  if (names.length > 0) return Promise.all(names.map(async (name) => builtModule(moduleNamed(name), options)));
  const needed: readonly ProgramName[] = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'etcd'];
  const paths: string[] = [];
  for (const program of needed) paths.push(dirname(await programPath(program, options)));
  await certManager(options);
  await vaultProgram(options);
  return paths.slice(0, 1);
}

function moduleNamed(name: string): (typeof programModules)[number] {
  const module = programModules.find((known) => known.name === name);
  if (module !== undefined) return module;
  throw new Error(`There is no module ${name}; known are ${programModules.map((known) => known.name).join(', ')}.`);
}

try {
  for (const folder of await folders(process.argv.slice(2))) process.stdout.write(`${folder}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
