import { readFile } from 'node:fs/promises';
import type { CommandResult } from './kubectl.ts';
import type { OwnedProcesses } from './owned-processes.ts';
import { certManager } from './program-path.ts';

/** What is needed of a control plane to run cert-manager on it. */
export interface CertManagerTarget {
  readonly kubeconfig: string;
  kubectl(args: readonly string[]): Promise<CommandResult>;
}

/** Installs cert-manager's definitions and runs its controllers; resolves when they serve. */
export async function startCertManager(group: OwnedProcesses, target: CertManagerTarget): Promise<void> {
  const { program, definitions } = await certManager();
  await target.kubectl(['apply', '--server-side', '-f', definitions]);
  await target.kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
  const controllers = await group.start('cert-manager', program, ['--kubeconfig', target.kubeconfig]);
  await group.whileRunning([controllers], 'cert-manager to serve', async () =>
    /^serving$/m.test(await readFile(controllers.log, 'utf8')),
  );
}
