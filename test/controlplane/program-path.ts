import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, builtModule } from './module-cache.ts';
import { type ProgramName, programModules } from './programs.ts';

/**
 * Path of a program: the one in `KUBEBUILDER_ASSETS` when that folder holds it (as setup-envtest fills it), else the one built
 * from this repository's module, which is built now when it is missing.
 */
export async function programPath(program: ProgramName, options: BuildOptions = {}): Promise<string> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && assets !== '') {
    const provided = join(assets, program);
    if (await isExecutable(provided)) return provided;
  }
  return builtProgram(program, options);
}

/** cert-manager's controllers, always those of this repository's module, with the definitions that belong to them. */
export async function certManager(
  options: BuildOptions = {},
): Promise<{ readonly program: string; readonly definitions: string }> {
  const program = await builtProgram('cert-manager', options);
  return { program, definitions: join(dirname(program), 'crds') };
}

/** The Vault server of this repository's module. */
export function vaultProgram(options: BuildOptions = {}): Promise<string> {
  return builtProgram('vault', options);
}

/** A tool that reads files and asks no server: promtool, or helm. */
export function toolProgram(name: 'promtool' | 'helm', options: BuildOptions = {}): Promise<string> {
  return builtProgram(name, options);
}

async function builtProgram(program: ProgramName, options: BuildOptions): Promise<string> {
  const module = programModules.find(({ programs }) => programs[program] !== undefined);
  if (module === undefined) throw new Error(`No module of this repository builds ${program}.`);
  return join(await builtModule(module, options), program);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
