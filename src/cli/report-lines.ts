import type { Condition } from '../base/object.ts';
import { formatRef } from '../base/resource.ts';
import type { ObjectReport, ObjectSummary } from './object-report.ts';
import type { Style, Terminal } from './terminal.ts';

type Painter = Pick<Terminal, 'style'>;

interface Branch {
  readonly title: string;
  readonly lines: readonly string[];
}

const COLUMNS = ['KIND', 'OBJECT', 'READY', 'STEP', 'REASON'] as const;

/** A table of objects, one a line. */
export function summaryLines(objects: readonly ObjectSummary[], painter: Painter): readonly string[] {
  if (objects.length === 0) return ['No objects found.'];
  const rows = objects.map((object) => [
    object.kind,
    objectName(object),
    object.ready,
    object.step === '' ? '-' : object.step,
    object.outdated ? `${object.reason} (of an earlier spec)` : object.reason,
  ]);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], paint: (cell: string, column: number) => string): string =>
    cells
      .map((cell, column) => paint(cell, column) + padding(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    line(COLUMNS, (cell) => painter.style('bold', cell)),
    ...rows.map((row) => line(row, (cell, column) => (column === 2 ? painter.style(styleOf(cell), cell) : cell))),
  ];
}

/** One object as a tree: its steps, its children, what woke it last, the last events, and what keeps it busy. */
export function reportLines(report: ObjectReport, painter: Painter): readonly string[] {
  const { steps, children, history, events, unread, unrest } = report;
  const branches: readonly Branch[] = [
    { title: 'steps', lines: stepLines(steps, painter) },
    {
      title: 'children',
      lines: [
        ...children.map((child) => `${formatRef(child)}${child.deleting ? '  (is being deleted)' : ''}`),
        ...unread.map((resource) => painter.style('yellow', `${resource} cannot be listed with your rights`)),
      ],
    },
    {
      title: 'triggers',
      lines: history.map(
        ({ time, trigger, outcome, generation }) => `${time}  ${trigger} -> ${outcome}  (generation ${generation})`,
      ),
    },
    {
      title: 'events',
      lines: events.map(({ time, type, reason, note }) => {
        const word = type === 'Warning' ? painter.style('yellow', reason) : reason;
        return `${time.replace(/\.\d+/, '')}  ${word}  ${note}`;
      }),
    },
  ];
  return [
    headLine(report, painter),
    ...treeLines(
      branches.filter(({ lines }) => lines.length > 0),
      painter,
    ),
    ...(unrest === undefined ? [] : [`${painter.style('yellow', `Busy: ${unrest.cause}.`)} ${unrest.what}`]),
  ];
}

function headLine(report: ObjectReport, painter: Painter): string {
  const { ready, reason, message, outdated } = report;
  const why = [reason, message].filter((part) => part !== '').join(': ');
  const age = outdated ? '  (of an earlier spec; the next pass has not ended)' : '';
  return `${painter.style('bold', formatRef(report))}  Ready ${painter.style(styleOf(ready), ready)}  ${why}${age}`.trimEnd();
}

function stepLines(steps: readonly Condition[], painter: Painter): readonly string[] {
  const width = Math.max(0, ...steps.map(({ type }) => type.length));
  return steps.map(({ type, status, reason, message }) => {
    const why = message === '' ? reason : `${reason}: ${message}`;
    return `${painter.style(styleOf(status), status)}${padding(status, 7)}  ${type}${padding(type, width)}  ${why}`;
  });
}

function treeLines(branches: readonly Branch[], painter: Painter): readonly string[] {
  return branches.flatMap(({ title, lines }, index) => {
    const last = index === branches.length - 1;
    const stem = painter.style('dim', last ? '   ' : '│  ');
    return [
      `${painter.style('dim', last ? '└─' : '├─')} ${title}`,
      ...lines.map((line, at) => `${stem}${painter.style('dim', at === lines.length - 1 ? '└─' : '├─')} ${line}`),
    ];
  });
}

function objectName({ namespace, name }: ObjectSummary): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function padding(cell: string, width: number): string {
  return ' '.repeat(Math.max(0, width - cell.length));
}

function styleOf(status: string): Style {
  if (status === 'True') return 'green';
  return status === 'False' ? 'red' : 'yellow';
}
