import type { ConditionStatus } from '../base/object.ts';
import { formatRef, groupResourceOf } from '../base/resource.ts';
import type { StepObserver, StepTransition } from '../steps/step-observer.ts';
import type { Style, Terminal } from './terminal.ts';

const MARK: Readonly<Record<ConditionStatus, { readonly mark: string; readonly style: Style }>> = {
  True: { mark: '✓', style: 'green' },
  False: { mark: '✗', style: 'red' },
  Unknown: { mark: '…', style: 'yellow' },
};

/** Width of the column of step names. */
const STEP_WIDTH = 28;

/**
 * Shows steps as they happen: on a terminal as a table that is redrawn in place, elsewhere as one line for each change. Steps
 * that turn Unknown are shown on the table alone; a log of them would be noise.
 */
export class StepView implements StepObserver {
  readonly #terminal: Terminal;
  readonly #objects = new Map<string, Map<string, StepTransition>>();
  /** The objects of the table that is being redrawn, and how many lines of it are on the screen. */
  readonly #shown = new Set<string>();
  #drawnLines = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly onStep = (transition: StepTransition): void => {
    const title = formatRef({ kind: transition.type.kind, ...transition.key });
    const id = `${groupResourceOf(transition.type)} ${title}`;
    const steps = this.#objects.get(id) ?? new Map<string, StepTransition>();
    this.#objects.set(id, steps);
    const before = steps.get(transition.step);
    const sameSpec = before?.generation === transition.generation;
    // Another pass looks at every step again; only what comes out differently is news.
    if (sameSpec && transition.status === 'Unknown' && before.status === 'True') return;
    steps.set(transition.step, transition);
    if (sameSpec && before.status === transition.status && before.reason === transition.reason) return;
    if (this.#terminal.interactive) this.#show(id);
    else if (transition.status !== 'Unknown') this.#terminal.out(this.#line(transition, title));
  };

  /** Leaves the table as it is and lets other lines follow below it; what changes later begins a new one. */
  settle(): void {
    this.#drawnLines = 0;
    this.#shown.clear();
  }

  /** Draws the table with this object in it. One that has outgrown the screen cannot be redrawn and stays as it is. */
  #show(id: string): void {
    this.#shown.add(id);
    let lines = this.#tables();
    if (lines.length >= this.#terminal.rows) {
      this.settle();
      this.#shown.add(id);
      lines = this.#tables();
    }
    const up = this.#drawnLines === 0 ? '' : `\u001b[${this.#drawnLines}A`;
    this.#terminal.raw(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`);
    this.#drawnLines = lines.length;
  }

  #tables(): readonly string[] {
    const lines: string[] = [];
    for (const id of this.#shown) {
      const steps = [...(this.#objects.get(id)?.values() ?? [])];
      const [first] = steps;
      if (first === undefined) continue;
      lines.push(this.#terminal.style('bold', formatRef({ kind: first.type.kind, ...first.key })));
      for (const transition of steps) lines.push(`  ${this.#row(transition)}`);
    }
    return lines;
  }

  #row({ step, status, reason, message }: StepTransition): string {
    const { mark, style } = MARK[status];
    const text = message === '' ? reason : `${reason}: ${message}`;
    const room = Math.max(20, this.#terminal.columns - STEP_WIDTH - 6);
    const cut = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    return `${this.#terminal.style(style, mark)} ${step.padEnd(STEP_WIDTH)}${this.#terminal.style('dim', cut)}`;
  }

  #line({ step, condition, status, reason, message, at }: StepTransition, title: string): string {
    const { mark, style } = MARK[status];
    const time = new Date(at).toISOString().slice(11, 23);
    const text = message === '' ? reason : `${reason}: ${message}`;
    const shown = this.#terminal.style(style, mark);
    return `${time} ${title}  ${shown} ${step.padEnd(STEP_WIDTH)}${condition}=${status}  ${text}`;
  }
}
