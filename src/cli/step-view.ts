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
    if (this.#terminal.interactive) this.#redraw();
    else if (transition.status !== 'Unknown') this.#terminal.out(this.#line(transition, title));
  };

  /** Leaves the table as it is and lets other lines follow below it. */
  settle(): void {
    this.#drawnLines = 0;
    this.#objects.clear();
  }

  #redraw(): void {
    const lines: string[] = [];
    for (const steps of this.#objects.values()) {
      const [first] = steps.values();
      if (first === undefined) continue;
      lines.push(this.#terminal.style('bold', formatRef({ kind: first.type.kind, ...first.key })));
      for (const transition of steps.values()) lines.push(`  ${this.#row(transition)}`);
    }
    const up = this.#drawnLines === 0 ? '' : `\u001b[${this.#drawnLines}A`;
    this.#terminal.raw(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`);
    this.#drawnLines = lines.length;
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
