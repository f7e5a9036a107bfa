import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnedProcess, OwnedProcesses } from '../controlplane/owned-processes.ts';
import { eventually } from '../support/eventually.ts';
import type { ImageConfig } from './image-builder.ts';

/** How a container is run. */
export interface ContainerOptions {
  /** Root of the unpacked image. It is mounted read-only. */
  readonly root: string;
  readonly config: ImageConfig;
  /** In place of the image's own command. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder here by path there, read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Limit of a memory cgroup of its own. @defaultValue none */
  readonly memoryMi?: number;
}

/** One process of an image in namespaces of its own, as process 1 and as the image's user. */
export interface Container {
  readonly process: OwnedProcess;
  /** Its number outside of the container. */
  readonly pid: number;
}

const controller = '/sys/fs/cgroup/memory';

/**
 * What a container engine does, as far as a service notices: arguments are the root, user, folder and cgroup, then the command. The
 * process ends with its parent, which must be said after the change of user: that takes it back.
 */
const ENTER = `
set -eu
root=$1 user=$2 folder=$3 cgroup=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
for pair in $MOUNTS; do mount --bind "\${pair%%:*}" "$root\${pair#*:}"; done
mount -o remount,bind,ro "$root"
[ -z "$cgroup" ] || echo $$ > "$cgroup/cgroup.procs"
unset MOUNTS
exec chroot --userspec="$user" "$root" /bin/sh -c 'cd "$0" && exec setpriv --pdeathsig KILL "$@"' "$folder" "$@"
`;

/** Runs an image's command to wherever it goes; it ends with its group. */
export async function startContainer(
  group: OwnedProcesses,
  name: string,
  options: ContainerOptions,
): Promise<Container> {
  const {
    root,
    config: { config },
    command = config.Cmd,
    env = {},
    mounts = {},
    memoryMi,
  } = options;
  for (const place of Object.values(mounts)) await mkdir(join(root, place), { recursive: true });
  const cgroup = memoryMi === undefined ? '' : await memoryCgroup(name, memoryMi);
  if (cgroup !== '') {
    // The last process leaves it a moment after its group has seen it end.
    group.whenClosed(() =>
      eventually(`${cgroup} to be empty`, () => rmdir(cgroup).then(() => true)).then(() => undefined),
    );
  }
  const enter = ['sh', '-c', ENTER, 'enter', root, config.User, config.WorkingDir, cgroup];
  const args = ['--mount', '--pid', '--fork', ...enter, ...config.Entrypoint, ...command];
  const own = Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const MOUNTS = Object.entries(mounts)
    .map((pair) => pair.join(':'))
    .join(' ');
  const process = await group.start(name, 'unshare', args, { env: { ...own, ...env, MOUNTS } });
  const pid = await eventually(`${name} to have a first process`, async () => {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').catch(() => '');
    const first = Number(children.split(' ')[0]);
    return process.isRunning() ? first > 0 && first : -1;
  });
  return { process, pid };
}

/** Runs a command of the image to its end and gives what it printed. Rejects when it fails. */
export async function runContainer(group: OwnedProcesses, name: string, options: ContainerOptions): Promise<string> {
  const { process } = await startContainer(group, name, options);
  const code = await process.exited;
  const text = await readFile(process.log, 'utf8');
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${text}`);
  return text;
}

/** A cgroup with a limit of memory, of whichever version this machine has. */
async function memoryCgroup(name: string, limitMi: number): Promise<string> {
  const isFirst = await readFile(join(controller, 'memory.limit_in_bytes')).then(
    () => true,
    () => false,
  );
  const folder = join(isFirst ? controller : '/sys/fs/cgroup', `homeostat-${name}-${process.pid}`);
  await mkdir(folder);
  await writeFile(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(limitMi * 1024 * 1024));
  return folder;
}
