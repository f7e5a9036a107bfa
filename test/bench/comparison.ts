import type { ConvergeResult } from './converge.ts';

const rows = [
  ['own writes per object', 'writesPerObject'],
  ['seconds to Ready', 'seconds'],
  ['CPU seconds to Ready', 'cpuSeconds'],
  ['memory when Ready, MB', 'residentMb'],
  ['writes at rest', 'restWrites'],
  ['CPU seconds at rest', 'restCpuSeconds'],
  ['memory at rest, MB', 'restResidentMb'],
  ['writes after restart', 'restartWrites'],
  ['CPU seconds of restart', 'restartCpuSeconds'],
] as const satisfies readonly (readonly [string, keyof ConvergeResult])[];

/** A table of both results with the ratio of ours to the peer's, where there is one. */
export function formatComparison(peer: ConvergeResult, ours: ConvergeResult): string {
  const cells = rows.map(([label, field]) => {
    const [theirs, own] = [peer[field], ours[field]];
    return [label, String(theirs), String(own), theirs === 0 ? '' : (own / theirs).toFixed(2)];
  });
  const table = [[`${ours.n} Environments`, peer.subject, ours.subject, 'ratio'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
