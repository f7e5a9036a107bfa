import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemRandom } from '../../../src/app/system-ports.ts';
import { isRecord } from '../../../src/base/json.ts';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { readServingPair } from '../../../src/certs/serving-pair.ts';
import { GADGETS } from '../../unit/admission/gadget.ts';
import type { ApiAnswer } from '../../controlplane/api-access.ts';
import { freePorts } from '../../controlplane/free-ports.ts';
import { eventually } from '../eventually.ts';
import {
  type Case,
  CASES,
  configuration,
  gadgetDefinition,
  hookOf,
  NAMESPACE,
  OTHER_VERSION,
  type Way,
} from './fixture.ts';
import { type OurServer, startOurServer } from './our-server.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';
import type { Expected } from './situations.ts';
import { type Counters, readCounters } from './webhook-counters.ts';

/** An API server whose administrator asks. */
export interface MatrixTarget {
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
}

const HOUR_MS = 3_600_000;
const MERGE = 'application/merge-patch+json';
const HOST = 'localhost';

/** What the matrix runs on. */
interface Stage {
  readonly target: MatrixTarget;
  readonly ours: OurServer;
  readonly close: () => Promise<void>;
}

/** Defines one test for each situation and policy, on the API server that `start` gives before the first of them. */
export function runMatrix(start: () => Promise<MatrixTarget>, stop: () => Promise<void>): void {
  // Each case has a webhook, an object and counters of its own, and several of them wait.
  describe('acceptance matrix', { concurrency: 4 }, () => {
    const state: { stage?: Stage } = {};
    before(async () => {
      state.stage = await setTheStage(await start());
    });
    after(async () => {
      await state.stage?.close();
      await stop();
    });
    for (const one of CASES) {
      const { name, reports = '' } = one.situation;
      test(`${reports} ${name} under ${one.policy}`.trim(), async () => {
        if (state.stage === undefined) throw new Error('The API server has not started');
        await play(state.stage, one);
      });
    }
  });
}

async function setTheStage(target: MatrixTarget): Promise<Stage> {
  const options = { random: systemRandom, now: Date.now(), validForMs: HOUR_MS };
  const authority = await issueAuthority('matrix', options);
  const good = await issueServing(authority, [HOST], options);
  const stranger = await issueAuthority('stranger', options);
  const expired = await issueServing(authority, [HOST], { ...options, now: Date.now() - 2 * HOUR_MS });
  const misnamed = await issueServing(authority, ['elsewhere.svc'], options);
  const pair = readServingPair(good, { names: [HOST], now: Date.now(), where: 'memory' });
  const ours = await startOurServer(pair);
  const [script, late, foreign] = await Promise.all([good, expired, misnamed].map(startScriptedServer));
  const servers = [script, late, foreign].filter((server) => server !== undefined);
  const [nobody = 0] = await freePorts(1);
  const way = (one: Case): Way => {
    const { webhook } = one.situation;
    const ca = authority.certificate;
    if (webhook.by === 'ours') return { url: urlOf(ours.port, one.id), ca };
    if (!('reachedBy' in webhook)) return { url: urlOf(script?.port, webhook.script), ca };
    switch (webhook.reachedBy) {
      case 'unknown-ca':
        return { url: urlOf(script?.port, 'allow'), ca: stranger.certificate };
      case 'expired':
        return { url: urlOf(late?.port, 'allow'), ca };
      case 'wrong-name':
        return { url: urlOf(foreign?.port, 'allow'), ca };
      case 'nobody':
        return { url: urlOf(nobody, 'allow'), ca };
    }
  };
  await install(target, way, { url: urlOf(script?.port, 'later'), ca: authority.certificate });
  return { target, ours, close: async () => closeAll(ours, servers) };
}

function urlOf(port: number | undefined, path: string): string {
  return `https://${HOST}:${port ?? 0}/${path}`;
}

async function closeAll(ours: OurServer, servers: readonly ScriptedServer[]): Promise<void> {
  for (const server of servers) server.close();
  await ours.close();
}

async function install(target: MatrixTarget, way: (one: Case) => Way, later: Way): Promise<void> {
  const create = async (path: string, object: object): Promise<void> => {
    const { code, body } = await target.request('POST', path, object);
    assert.equal(code, 201, JSON.stringify(body));
  };
  await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', gadgetDefinition());
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await eventually('gadgets to be served in both versions', async () => {
    const answers = await Promise.all(
      [GADGETS.version, OTHER_VERSION].map(async (version) => target.request('GET', pathOf('', version))),
    );
    return answers.every(({ code }) => code === 200);
  });
  const hooks = CASES.map((one) => ({ ...hookOf(one), way: way(one), label: one.id, phase: one.situation.phase }));
  const laterHooks = CASES.filter(({ situation }) => situation.scene === 'reinvocation').map((one) => ({
    ...hookOf(one),
    name: `later.${hookOf(one).name}`,
    way: later,
    label: one.id,
  }));
  const admissions = '/apis/admissionregistration.k8s.io/v1';
  await create(
    `${admissions}/mutatingwebhookconfigurations`,
    configuration('MutatingWebhookConfiguration', [...hooks.filter(({ phase }) => phase === 'mutate'), ...laterHooks]),
  );
  const validating = hooks.filter(({ phase }) => phase !== 'mutate');
  await create(
    `${admissions}/validatingwebhookconfigurations`,
    configuration('ValidatingWebhookConfiguration', validating),
  );
  await eventually('the webhooks to be called', async () => {
    const probe = gadget('probe', 'deny-fail', { size: 6 });
    const mutated = gadget('probe', 'patch-does-not-apply-fail', { size: 1 });
    const answers = await Promise.all(
      [probe, mutated].map(async (object) => target.request('POST', `${pathOf('')}?dryRun=All`, object)),
    );
    return answers.every(({ code }) => code === 422 || code === 500);
  });
}

function pathOf(name: string, version: string = GADGETS.version): string {
  const items = `/apis/${GADGETS.group}/${version}/namespaces/${NAMESPACE}/${GADGETS.plural}`;
  return name === '' ? items : `${items}/${name}`;
}

function gadget(name: string, label: string | undefined, spec: object, version: string = GADGETS.version): object {
  const labels = label === undefined ? {} : { labels: { case: label } };
  return { apiVersion: `${GADGETS.group}/${version}`, kind: GADGETS.kind, metadata: { name, ...labels }, spec };
}

async function play(stage: Stage, one: Case): Promise<void> {
  const { target, ours } = stage;
  const { situation, policy, id } = one;
  const hook = hookOf(one);
  const expected = situation.expected[policy];
  const ask = await prepare(target, one);
  const before = await readCounters(target, hook.name);
  const verdicts = ours.verdicts(hook.name);
  const { code, headers, body } = await ask();
  assert.equal(code, expected.code, JSON.stringify(body));
  if (expected.says !== undefined) assert.match(messageOf(body), expected.says);
  const warning = String(headers['warning'] ?? '');
  if (expected.warns === undefined) assert.equal(warning, '');
  else assert.match(warning, expected.warns);
  assertStored(await target.request('GET', pathOf(id)), one, expected);
  assert.deepEqual(difference(await readCounters(target, hook.name), before), countedFor(expected));
  if (situation.scene === 'status-update') assert.equal(ours.verdicts(hook.name), verdicts);
  if (situation.scene === 'reinvocation') assert.equal(ours.verdicts(hook.name), verdicts + 2);
}

/** Brings the object to where the scene begins, and gives what is asked then. */
async function prepare(target: MatrixTarget, { situation, id }: Case): Promise<() => Promise<ApiAnswer>> {
  const { spec, scene } = situation;
  const store = async (label?: string, metadata: object = {}): Promise<void> => {
    const object = gadget(id, label, spec) as { readonly metadata: object };
    const { code, body } = await target.request('POST', pathOf(''), {
      ...object,
      metadata: { ...object.metadata, ...metadata },
    });
    assert.equal(code, 201, JSON.stringify(body));
  };
  switch (scene) {
    case 'create':
    case 'reinvocation':
      return async () => target.request('POST', pathOf(''), gadget(id, id, spec));
    case 'other-version':
      return async () => target.request('POST', pathOf('', OTHER_VERSION), gadget(id, id, spec, OTHER_VERSION));
    case 'dry-run':
      return async () => target.request('POST', `${pathOf('')}?dryRun=All`, gadget(id, id, spec));
    case 'delete':
      await store(id);
      return async () => target.request('DELETE', pathOf(id));
    case 'status-update':
      await store(id);
      return async () => target.request('PATCH', `${pathOf(id)}/status`, { status: { phase: 'seen' } }, MERGE);
    case 'finalizer-removal': {
      await store(undefined, { finalizers: ['test.homeostat.io/hold'] });
      await target.request('DELETE', pathOf(id));
      const released = { metadata: { finalizers: null, labels: { case: id } } };
      return async () => target.request('PATCH', pathOf(id), released, MERGE);
    }
    case 'unrelated-edit': {
      await store();
      const edit = { metadata: { labels: { case: id } }, spec: { stage: 'new' } };
      return async () => target.request('PATCH', pathOf(id), edit, MERGE);
    }
  }
}

function assertStored({ code, body }: ApiAnswer, { situation }: Case, { stored }: Expected): void {
  if (stored === 'nothing') {
    assert.equal(code, 404);
    return;
  }
  assert.equal(code, 200, JSON.stringify(body));
  const spec = situation.scene === 'unrelated-edit' ? { ...situation.spec, stage: 'new' } : situation.spec;
  // A gadget, as the schema keeps it.
  const object = body as { readonly metadata: { readonly labels?: Record<string, string> }; readonly spec: object };
  assert.deepEqual(object.spec, spec);
  assert.equal(object.metadata.labels?.['stage'], stored === 'patched' ? situation.spec.stage : undefined);
}

function countedFor({ rejection, open }: Expected): Counters {
  return { rejections: rejection === undefined ? {} : { [rejection]: 1 }, open: open === true ? 1 : 0 };
}

function difference(now: Counters, then: Counters): Counters {
  const changed = Object.entries(now.rejections)
    .map(([type, count]) => [type, count - (then.rejections[type] ?? 0)] as const)
    .filter(([, count]) => count !== 0);
  return { rejections: Object.fromEntries(changed), open: now.open - then.open };
}

function messageOf(body: unknown): string {
  return isRecord(body) && typeof body['message'] === 'string' ? body['message'] : JSON.stringify(body);
}
