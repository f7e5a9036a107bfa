import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { noop, type Outcome, terminal } from '../../../src/base/outcome.ts';
import { createKubeClient } from '../../../src/kube/http-client.ts';
import { tracedTransport } from '../../../src/kube/traced-transport.ts';
import { Controller } from '../../../src/runtime/controller.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { pipeline } from '../../../src/steps/pipeline.ts';
import { createReconciler } from '../../../src/steps/reconciler.ts';
import type { StepContext } from '../../../src/steps/step.ts';
import { loadedTracer } from '../../../src/telemetry/tracer.ts';
import {
  CONFIG_MAPS,
  EngineHarness,
  FINALIZER,
  type Widget,
  widget,
  widgetSlice,
} from '../../support/engine-harness.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryTransport } from '../../support/memory-transport.ts';
import { recordSpans } from '../../support/recorded-spans.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const spans = recordSpans();
const tracer = loadedTracer('1.0.0');
beforeEach(() => spans.forget());

const server = new URL('https://10.0.0.1:6443');

/** Reconciles a widget once, by a controller, with one step that asks the API server and then comes to `outcome`. */
async function reconcileOnce(outcome: Outcome<object>, status = 200) {
  const transport = memoryTransport(() => ({
    status,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  }));
  const harness = new EngineHarness(undefined, {}, { tracer });
  const { clock, log, metrics } = harness;
  const ports = { clock, log, metrics, random: seededRandom(), tracer };
  const traced = tracedTransport({ ...transport, close: () => Promise.resolve() }, tracer, server);
  const client = createKubeClient({ transport: traced, userAgent: 'test', ...ports });
  const step = {
    name: 'Look',
    condition: 'Looked',
    apply: async ({ signal }: StepContext<Widget, object>): Promise<Outcome<object>> => {
      await client.get(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, { signal });
      return outcome;
    },
  };
  const slice = widgetSlice(pipeline<Widget>().step(step).build({ finalizer: FINALIZER }));
  await harness.api.client().create(WIDGETS, widget(), { signal: new AbortController().signal });
  const queue = new WorkQueue({ name: 'widget', ...ports });
  const controller = new Controller({
    name: 'widget',
    queue,
    reconcile: createReconciler(slice, harness.deps()),
    ...ports,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal, new AbortController().signal);
  queue.add({ namespace: 'team-a', name: 'w' }, { cause: 'test' });
  await eventually('the reconcile to end', () => spans.all.some(({ name }) => name === 'reconcile widget'));
  stop.abort();
  await running;
  return { transport };
}

test('a reconcile is one span, with its steps and their requests below', async () => {
  const { transport } = await reconcileOnce(noop({}));
  assert.deepEqual(spans.tree, ['reconcile widget', '  step EnsureFinalizer', '  step Look', '    GET configmaps']);
  const { 'homeostat.reconcile.id': id, ...attributes } = spans.named('reconcile widget').attributes;
  assert.equal(typeof id, 'string');
  assert.deepEqual(attributes, {
    'homeostat.controller': 'widget',
    'homeostat.object.name': 'w',
    'homeostat.reconcile.causes': ['test'],
    'homeostat.reconcile.failures': 0,
    'homeostat.outcome': 'done',
    'k8s.namespace.name': 'team-a',
  });
  assert.deepEqual(spans.named('step Look').attributes, {
    'homeostat.kind': 'Widget',
    'homeostat.step': 'Look',
    'homeostat.outcome': 'noop',
  });
  const request = spans.named('GET configmaps');
  assert.deepEqual(request.attributes, {
    'http.request.method': 'GET',
    'url.full': 'https://10.0.0.1:6443/api/v1/namespaces/team-a/configmaps/a',
    'server.address': '10.0.0.1',
    'server.port': 6443,
    'http.response.status_code': 200,
  });
  const { traceId, spanId } = request.spanContext();
  assert.equal(transport.requests[0]?.headers['traceparent'], `00-${traceId}-${spanId}-01`);
});

test('a terminal outcome fails the step and the reconcile, and says why', async () => {
  await reconcileOnce(terminal('NotThis', 'it cannot be'));
  assert.deepEqual(spans.tree, ['reconcile widget !', '  step EnsureFinalizer', '  step Look !', '    GET configmaps']);
  const { attributes, status } = spans.named('step Look');
  assert.equal(attributes['homeostat.reason'], 'NotThis');
  assert.equal(status.message, 'it cannot be');
});

test('a request that is refused fails its span', async () => {
  await reconcileOnce(noop({}), 403);
  const { attributes } = spans.named('GET configmaps');
  assert.deepEqual([attributes['http.response.status_code'], attributes['error.type']], [403, '403']);
  assert.ok(spans.tree.includes('    GET configmaps !'));
});
