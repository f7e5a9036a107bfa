import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import type { ResourceType } from '../../../src/base/resource.ts';
import type { ServingPair } from '../../../src/certs/certificate-source.ts';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { hookDifferences } from '../../../src/manifests/hook-differences.ts';
import { RegisteredHooks } from '../../../src/manifests/registered-hooks.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { renderWebhooks } from '../../../src/manifests/webhook.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { ScriptedClient } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { widgetHook } from '../../support/widget-slice.ts';

const PERIOD_MS = 600_000;
const settings = defaultManifestSettings('1.0.0');
const hooks = [widgetHook('mutate'), widgetHook('validate'), widgetHook('protect')];
const issueOptions = { random: seededRandom(2), now: Date.UTC(2026, 0, 1), validForMs: 86_400_000 };
const authority = await issueAuthority('one', issueOptions);
const stranger = await issueAuthority('two', issueOptions);
const leaf = await issueServing(authority, ['a.svc'], issueOptions);
const pair: ServingPair = { ...leaf, fingerprint: 'x', names: [], notBefore: 0, notAfter: 0 };

type RawHook = Readonly<Record<string, unknown>> & { readonly clientConfig: object };

/** As the API server gives a configuration back: defaults filled in, a caBundle in place. */
function registered(kind: string, bundle: string, edit: (hook: RawHook) => object = (hook) => hook): Manifest {
  const object = renderWebhooks(hooks, settings).find((candidate) => candidate.kind === kind);
  assert.ok(object !== undefined);
  // The renderer's own hooks.
  const webhooks = object['webhooks'] as readonly RawHook[];
  const caBundle = Buffer.from(bundle).toString('base64');
  const defaults = { namespaceSelector: {}, objectSelector: {} };
  const filled = webhooks.map((hook) => ({ ...hook, ...defaults, clientConfig: { ...hook.clientConfig, caBundle } }));
  return { ...object, webhooks: filled.map(edit) };
}

const MUTATING = 'MutatingWebhookConfiguration';
const VALIDATING = 'ValidatingWebhookConfiguration';

function started(t: TestContext, stored: Map<string, Manifest>) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const metrics = recordingMetrics();
  const log = recordingLogger();
  let failure: Error | undefined;
  const get = (type: ResourceType): Promise<Unstructured> => {
    const object = stored.get(type.kind);
    if (failure !== undefined || object === undefined) return Promise.reject(failure ?? new Error('no such object'));
    return Promise.resolve({ ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' } });
  };
  const client = Object.assign(new ScriptedClient(), { get });
  const certificates = { current: () => pair };
  const check = new RegisteredHooks({
    hooks,
    settings,
    certificates,
    client,
    periodMs: PERIOD_MS,
    clock,
    log,
    metrics,
  });
  const stop = new AbortController();
  const running = check.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
  const warnings = () => log.lines.filter(({ level }) => level === 'warn');
  const fail = (error: Error | undefined): void => void (failure = error);
  return { check, clock, metrics, warnings, fail };
}

const both = (bundle: string) =>
  new Map([MUTATING, VALIDATING].map((kind) => [kind, registered(kind, bundle)] as const));

test('what is registered as rendered and verifies the leaf is no finding', async (t) => {
  const { check, clock, metrics, warnings } = started(t, both(authority.certificate));
  await clock.settle();
  assert.equal(check.problem(), undefined);
  assert.equal(metrics.value('homeostat_hook_config_drift'), 0);
  assert.equal(metrics.value('homeostat_cabundle_verified'), 1);
  assert.equal(warnings().length, 0);
});

test('an edited policy shows at once, is warned of once when it stays, and clears when it is undone', async (t) => {
  const stored = both(authority.certificate);
  const edited = registered(VALIDATING, authority.certificate, (hook) => ({ ...hook, failurePolicy: 'Fail' }));
  stored.set(VALIDATING, edited);
  const { check, clock, metrics, warnings } = started(t, stored);
  await clock.settle();
  assert.equal(metrics.value('homeostat_hook_config_drift'), 1);
  assert.equal(check.problem(), 'protect.widgets.example.com has another failurePolicy');
  assert.equal(warnings().length, 0);
  await clock.advance(PERIOD_MS * 5);
  assert.equal(warnings().length, 1);
  stored.set(VALIDATING, registered(VALIDATING, authority.certificate));
  await clock.advance(PERIOD_MS);
  assert.equal(metrics.value('homeostat_hook_config_drift'), 0);
});

test('a bundle of another authority, none, or one that cannot be read does not verify the leaf', async (t) => {
  for (const bundle of [stranger.certificate, '', '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----']) {
    const { check, clock, metrics } = started(t, both(bundle));
    await clock.settle();
    assert.equal(metrics.value('homeostat_cabundle_verified'), 0);
    assert.match(check.problem() ?? '', /does not verify the certificate served here/);
  }
});

test('a bundle that holds the old and the new authority verifies the leaf', async (t) => {
  const { clock, metrics } = started(t, both(stranger.certificate + authority.certificate));
  await clock.settle();
  assert.equal(metrics.value('homeostat_cabundle_verified'), 1);
});

test('an API server that does not answer is one warning and no end of the check', async (t) => {
  const { clock, metrics, warnings, fail, check } = started(t, both(authority.certificate));
  await clock.settle();
  fail(new Error('no answer'));
  await clock.advance(PERIOD_MS * 4);
  assert.equal(warnings().length, 1);
  assert.match(check.problem() ?? '', /cannot be read: no answer/);
  assert.equal(metrics.value('homeostat_cabundle_verified'), 1);
  fail(undefined);
  await clock.advance(PERIOD_MS);
  assert.equal(check.problem(), undefined);
});

test('missing and unknown hooks, timeouts, rules and services are differences; selectors left out are not', () => {
  const rendered = registered(VALIDATING, '');
  const differences = (edit: (hook: RawHook) => object) => hookDifferences(rendered, registered(VALIDATING, '', edit));
  assert.deepEqual(differences((hook) => ({ ...hook, timeoutSeconds: 30 })).length, 2);
  assert.match(differences((hook) => ({ ...hook, rules: [] })).join(), /another rules/);
  assert.match(differences((hook) => ({ ...hook, clientConfig: { url: 'https://a' } })).join(), /another clientConfig/);
  assert.match(differences((hook) => ({ ...hook, name: 'other' })).join(), /is not registered.*not known here/);
  assert.deepEqual(
    differences(({ objectSelector: _selector, ...hook }) => hook),
    [],
  );
});
