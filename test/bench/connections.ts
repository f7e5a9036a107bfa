import { readdir, readFile, readlink } from 'node:fs/promises';

const established = '01';

/** Open TCP connections of a process to a port of 127.0.0.1. Linux only. */
export async function connectionsTo(pid: number, port: number): Promise<number> {
  const table = await readFile(`/proc/${pid}/net/tcp`, 'utf8');
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const row of table.split('\n').slice(1)) {
    const [, , to = '', state, , , , , , inode = ''] = row.trim().split(/\s+/);
    if (state === established && to.endsWith(remote)) inodes.add(`socket:[${inode}]`);
  }
  const files = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return targets.filter((target) => inodes.has(target)).length;
}
