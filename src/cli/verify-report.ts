import type { Style, Terminal } from './terminal.ts';
import { type Finding, firstBroken } from './verify-finding.ts';

type Painter = Pick<Terminal, 'style'>;

const TITLES = ['JOINT', 'SUBJECT', 'STATE'] as const;

const STYLES: Readonly<Record<Finding['state'], Style>> = { well: 'green', broken: 'red', unseen: 'yellow' };

/** One line a finding, and under it the sentence that matters. */
export function findingLines(findings: readonly Finding[], painter: Painter): readonly string[] {
  const rows = findings.map(({ joint, subject, state }) => [joint, subject, state] as const);
  const widths = TITLES.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (text: string, column: number): string => text.padEnd(widths[column] ?? 0);
  const lines = findings.map(({ joint, subject, state, text }) => {
    const cell = painter.style(STYLES[state], state) + ' '.repeat((widths[2] ?? 0) - state.length);
    return `${padded(joint, 0)}  ${padded(subject, 1)}  ${cell}  ${text}`;
  });
  const head = painter.style('bold', [...TITLES.map(padded), 'FOUND'].join('  '));
  return [head, ...lines, '', verdictLine(findings, painter)];
}

/** The one sentence: all is well, or which joint is broken and what to do. */
export function verdictLine(findings: readonly Finding[], painter: Painter): string {
  const first = firstBroken(findings);
  if (first === undefined) return painter.style('green', 'All is well.');
  const { joint, subject, text, remedy = '' } = first;
  return `${painter.style('red', `Broken: ${joint}.`)} ${subject}: ${text}. ${remedy}.`;
}
