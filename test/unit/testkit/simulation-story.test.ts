import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransportRequest } from '../../../src/kube/transport.ts';
import { describeReport } from '../../../src/testkit/simulation/describe-report.ts';
import { Lane } from '../../../src/testkit/simulation/lane.ts';
import type { Passage } from '../../../src/testkit/simulation/network.ts';
import type { Meddling } from '../../../src/testkit/simulation/scenario.ts';
import { Trace } from '../../../src/testkit/simulation/trace.ts';
import { tracingObserver } from '../../../src/testkit/simulation/tracing-observer.ts';

/** What a trace tells of a request with this fate. */
function toldOf(passage: Passage): string {
  const trace = new Trace(() => 0);
  const signal = new AbortController().signal;
  const path = '/api/v1/namespaces/a?fieldManager=x';
  const request: TransportRequest = { method: 'PATCH', path, headers: {}, lane: 'request', signal };
  tracingObserver(trace, {}).sent({ name: 'r1', lane: new Lane('r1'), token: '' }, request, passage);
  return trace.lines[0] ?? '';
}

test('a trace tells how long a request takes whose sender is asked to stop', () => {
  const stopAt = { type: 'stopAt', downMs: 1000 } as const;
  assert.match(
    toldOf({ ...stopAt, delayMs: 2000 }),
    /patch namespaces a\/a, which takes 2000 ms, and is asked to stop$/,
  );
  assert.match(toldOf({ ...stopAt, delayMs: 0 }), /patch namespaces a\/a, and is asked to stop$/);
});

/** What a report tells of somebody who meddles. */
function storyOf(how: Meddling): string {
  const scenario = {
    seed: 1,
    replicas: 1,
    skewsMs: [0],
    faults: [],
    acts: [{ type: 'meddle', pick: 0, how, atMs: 0 }],
  } as const;
  const counts = { writes: 0, idle: 0, events: 0 };
  const rest = { findings: [], hash: '', trace: [], counts, virtualMs: 0, steps: 0, lives: 1 };
  return describeReport('Environment', { ...rest, scenario }).join('\n');
}

test('a report tells whether one child is meddled with or all are', () => {
  assert.match(storyOf('disown'), /somebody takes the labels of their owners off all children/);
  assert.match(storyOf('hold'), /somebody meddles with a child: hold/);
});
