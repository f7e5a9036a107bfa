import { readFile } from 'node:fs/promises';

/** What a process has used so far. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  /** The most it has ever had. */
  readonly peakMb: number;
}

// Linux counts CPU time for user space in ticks of 1/100 s on every architecture (USER_HZ).
const ticksPerSecond = 100;

/** Reads a process's CPU time and memory from /proc; its children do not count. Rejects where there is no /proc. */
export async function processUsage(pid: number): Promise<ProcessUsage> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  // The command's name, in parentheses, may hold spaces; user and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    cpuSeconds: ticks / ticksPerSecond,
    residentMb: megabytes(/^VmRSS:\s+(?<kb>\d+)/m.exec(status)),
    peakMb: megabytes(/^VmHWM:\s+(?<kb>\d+)/m.exec(status)),
  };
}

function megabytes(match: RegExpExecArray | null): number {
  return Math.round(Number(match?.groups?.['kb'] ?? 0) / 1024);
}
