import { valueAt } from '../base/field-path.ts';
import type { Manifest } from '../base/object.ts';
import { ABORT_MS } from '../runtime/manager.ts';
import { type LintFinding, nameOf } from './lint-finding.ts';
import type { LintInput } from './lint-input.ts';
import { recordsIn } from './lint-webhooks.ts';

/** Endpoints and API servers forget a Pod some seconds after it began to leave. */
const MIN_DELAY_SECONDS = 10;

const WEBHOOK_CONFIGURATIONS: readonly string[] = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];
const READING: readonly string[] = ['get', 'list', 'watch'];

/** What is wrong with the rollout, the certificates and the rights of an installation: L15 to L18 and L25. */
export function lintInstallation(input: LintInput): readonly LintFinding[] {
  return input.objects.flatMap((object) =>
    [...problemsOf(object, input)].map(([rule, problem]) => ({ rule, object: nameOf(object), problem })),
  );
}

type Problem = readonly [rule: string, problem: string];

function* problemsOf(object: Manifest, { objects, certificates }: LintInput): Generator<Problem> {
  switch (object.kind) {
    case 'Deployment':
      yield* certificateMount(object, certificates);
      yield* rollout(object, objects);
      return;
    case 'Certificate':
      yield* certificate(object, objects);
      return;
    case 'Role':
    case 'ClusterRole':
      yield* rights(object, certificates);
  }
}

function containerOf(deployment: Manifest): unknown {
  return valueAt(deployment, ['spec', 'template', 'spec', 'containers', 0]);
}

/** A certificate mounted by subPath never changes, and a Pod must be able to start before it is issued. */
function* certificateMount(deployment: Manifest, certificates: LintInput['certificates']): Generator<Problem> {
  const volumes = recordsIn(valueAt(deployment, ['spec', 'template', 'spec', 'volumes']));
  const secrets = volumes.filter((volume) => volume['secret'] !== undefined);
  const isMounted = certificates === 'cert-manager' || certificates === 'mounted';
  if (isMounted && secrets.length === 0) yield ['L15', 'no Secret with the serving certificate is mounted'];
  const mounts = recordsIn(valueAt(containerOf(deployment), ['volumeMounts']));
  for (const volume of secrets) {
    if (valueAt(volume, ['secret', 'optional']) !== true) yield ['L15', 'the Secret must be optional'];
    for (const mount of mounts.filter(({ name }) => name === volume['name'])) {
      if (mount['subPath'] !== undefined || mount['subPathExpr'] !== undefined)
        yield ['L15', 'the Secret is mounted by subPath'];
      if (mount['readOnly'] !== true) yield ['L15', 'the Secret must be mounted read-only'];
    }
  }
}

function* rollout(deployment: Manifest, objects: readonly Manifest[]): Generator<Problem> {
  if (valueAt(deployment, ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable']) !== 0) {
    yield ['L17', 'maxUnavailable must be 0: a new Pod is ready before an old one goes'];
  }
  const container = containerOf(deployment);
  const delay = delaySeconds(container);
  if (delay < MIN_DELAY_SECONDS)
    yield ['L17', `it goes on answering for ${delay} s, which is less than ${MIN_DELAY_SECONDS} s`];
  const grace = Number(valueAt(deployment, ['spec', 'template', 'spec', 'terminationGracePeriodSeconds']) ?? 30);
  const drain = secondsOf(container, 'drain');
  const timeout = Math.max(0, ...longestTimeouts(objects));
  const release = ABORT_MS / 1000;
  if (grace <= delay + drain + release + timeout) {
    const needed = `${delay} s of delay, ${drain} s of drain, ${release} s for the lease and ${timeout} s of a review`;
    yield ['L17', `${grace} s of grace are not more than ${needed}`];
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const [scheme, port] = ['scheme', 'port'].map((member) => valueAt(container, [probe, 'httpGet', member]));
    if (scheme === 'HTTPS' || port === 'webhook' || port === undefined)
      yield ['L17', `the ${probe} must use the plain port`];
  }
}

function delaySeconds(container: unknown): number {
  const preStop = valueAt(container, ['lifecycle', 'preStop', 'sleep', 'seconds']);
  return secondsOf(container, 'shutdown-delay') + (typeof preStop === 'number' ? preStop : 0);
}

function secondsOf(container: unknown, name: string): number {
  const args = valueAt(container, ['args']);
  const flag = Array.isArray(args) ? args.map(String).find((arg) => arg.startsWith(`--${name}=`)) : undefined;
  return Number(/=(\d+)s$/.exec(flag ?? '')?.[1] ?? 0);
}

function longestTimeouts(objects: readonly Manifest[]): readonly number[] {
  return objects
    .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
    .flatMap((configuration) => recordsIn(configuration['webhooks']))
    .map((hook) => Number(hook['timeoutSeconds'] ?? 10));
}

/** The serving certificate: signed by a CA that outlives it, with a new key each time, renewed with time to spare. */
function* certificate(object: Manifest, objects: readonly Manifest[]): Generator<Problem> {
  if (valueAt(object, ['spec', 'isCA']) === true) return;
  const issuer = objects.find(
    ({ kind, metadata }) => kind === 'Issuer' && metadata.name === valueAt(object, ['spec', 'issuerRef', 'name']),
  );
  if (valueAt(issuer, ['spec', 'ca']) === undefined)
    yield ['L16', 'the issuer must be a CA issuer, not a self-signed one'];
  if (valueAt(object, ['spec', 'privateKey', 'rotationPolicy']) !== 'Always')
    yield ['L16', 'rotationPolicy must be Always'];
  const [duration, renewBefore] = ['duration', 'renewBefore'].map((member) => hours(valueAt(object, ['spec', member])));
  if (!(Number(renewBefore) <= Number(duration) / 2)) yield ['L16', 'renewBefore must be at most half of duration'];
  const names = valueAt(object, ['spec', 'dnsNames']);
  const services = objects
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc`);
  if (!Array.isArray(names) || !services.some((name) => names.includes(name))) {
    yield ['L16', `dnsNames must hold ${services.join(' or ')}`];
  }
}

function hours(value: unknown): number {
  return Number(/^(\d+)h/.exec(String(value))?.[1]);
}

function* rights(role: Manifest, certificates: LintInput['certificates']): Generator<Problem> {
  for (const rule of recordsIn(role['rules'])) {
    const [resources = [], verbs = []] = [rule['resources'], rule['verbs']].map((texts) =>
      Array.isArray(texts) ? texts.map(String) : [],
    );
    if (JSON.stringify(rule).includes('"*"')) yield ['L25', `a wildcard stands in a rule for ${resources.join(', ')}`];
    const configurations = resources.some((resource) => WEBHOOK_CONFIGURATIONS.includes(resource) || resource === '*');
    // Who makes the certificate writes the caBundle: a patch of our own configurations, by name.
    const named = certificates === 'self-managed' && rule['resourceNames'] !== undefined ? ['patch'] : [];
    const writing = verbs.filter((verb) => ![...READING, ...named].includes(verb));
    if (configurations && writing.length > 0)
      yield ['L18', `webhook configurations may be written: ${writing.join(', ')}`];
  }
}
