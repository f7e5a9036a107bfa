import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepView } from '../../../src/cli/step-view.ts';
import type { StepTransition } from '../../../src/steps/step-observer.ts';
import { WIDGETS } from '../../support/widgets.ts';
import { recordingTerminal } from './recording-terminal.ts';

function transition(name: string, step: string, change: Partial<StepTransition> = {}): StepTransition {
  return {
    type: WIDGETS,
    key: { name, namespace: 'a' },
    generation: 1,
    step,
    condition: `${step}Done`,
    status: 'True',
    reason: 'Applied',
    message: '',
    at: Date.UTC(2026, 0, 1, 12),
    ...change,
  };
}

/** What stands on the screen in the end: a move up by n lines takes away the last n. */
function screen(written: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const text of written) {
    const [, up = '0'] = /^\u001b\[(\d+)A/.exec(text) ?? [];
    lines.splice(lines.length - Number(up));
    lines.push(
      ...text
        .replaceAll(/\u001b\[\d+[AK]/g, '')
        .split('\n')
        .slice(0, -1),
    );
  }
  return lines.map((line) => line.trimEnd().replaceAll(/ +/g, ' '));
}

test('elsewhere than on a terminal each outcome is a line, and starting a step is none', () => {
  const terminal = recordingTerminal();
  const view = new StepView(terminal);
  view.onStep(transition('x', 'Make', { status: 'Unknown', reason: 'Progressing' }));
  view.onStep(transition('x', 'Make', { message: 'made it' }));
  view.onStep(transition('x', 'Check', { status: 'False', reason: 'Conflict' }));
  assert.deepEqual(
    terminal.written.map((line) => line.replaceAll(/ +/g, ' ')),
    [
      '12:00:00.000 Widget a/x ✓ Make MakeDone=True Applied: made it',
      '12:00:00.000 Widget a/x ✗ Check CheckDone=False Conflict',
    ],
  );
});

test('a later pass with the same outcomes shows nothing, also after the table was left', () => {
  for (const interactive of [false, true]) {
    const terminal = recordingTerminal({ interactive });
    const view = new StepView(terminal);
    view.onStep(transition('x', 'Make'));
    view.settle();
    const before = terminal.written.length;
    view.onStep(transition('x', 'Make', { status: 'Unknown', reason: 'Progressing' }));
    view.onStep(transition('x', 'Make'));
    assert.equal(terminal.written.length, before);
  }
});

test('on a terminal the table is redrawn in place, one object below the other', () => {
  const terminal = recordingTerminal({ interactive: true });
  const view = new StepView(terminal);
  view.onStep(transition('x', 'Make', { status: 'Unknown', reason: 'Progressing' }));
  view.onStep(transition('y', 'Make'));
  view.onStep(transition('x', 'Make'));
  assert.deepEqual(screen(terminal.written), ['Widget a/x', ' ✓ Make Applied', 'Widget a/y', ' ✓ Make Applied']);
});

test('what changes after the table was left begins a new one that holds only what changed', () => {
  const terminal = recordingTerminal({ interactive: true });
  const view = new StepView(terminal);
  view.onStep(transition('x', 'Make'));
  view.onStep(transition('y', 'Make'));
  view.settle();
  const before = screen(terminal.written).length;
  view.onStep(transition('y', 'Make', { status: 'False', reason: 'Conflict' }));
  assert.deepEqual(screen(terminal.written).slice(before), ['Widget a/y', ' ✗ Make Conflict']);
});

test('a table never grows taller than the screen, where it could not be redrawn', () => {
  const terminal = recordingTerminal({ interactive: true, rows: 6 });
  const view = new StepView(terminal);
  for (const name of ['x', 'y', 'z']) {
    view.onStep(transition(name, 'Make'));
    view.onStep(transition(name, 'Check'));
  }
  const moves = terminal.written.map((text) => Number(/^\u001b\[(\d+)A/.exec(text)?.[1] ?? 0));
  assert.ok(Math.max(...moves) < 6, moves.join(' '));
  assert.equal(screen(terminal.written).at(-3), 'Widget a/z');
});
