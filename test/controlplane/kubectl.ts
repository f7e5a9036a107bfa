import { spawn } from 'node:child_process';

/** How kubectl is run. */
export interface KubectlOptions {
  readonly stdin?: string;
  /** @defaultValue the administrator's */
  readonly kubeconfig?: string;
  /** A non-zero exit is a result instead of a rejection. */
  readonly mayFail?: boolean;
}

/** What a command left behind. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where kubectl is and whom it speaks for. */
export interface KubectlSetting {
  readonly program: string;
  readonly kubeconfig: string;
  /** Home of the run, so that no cache or setting of the user's takes part. */
  readonly home: string;
}

/** Runs the real kubectl to its end. Rejects with its standard error when it fails, unless that may be. */
export async function runKubectl(
  setting: KubectlSetting,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<CommandResult> {
  const { stdin, kubeconfig = setting.kubeconfig, mayFail = false } = options;
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: setting.home, KUBECONFIG: kubeconfig };
    const child = spawn(setting.program, args, { env });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      const code = exitCode ?? -1;
      if (code === 0 || mayFail) resolve({ code, stdout, stderr });
      else reject(new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr.trim()}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}
