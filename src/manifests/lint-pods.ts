import { valueAt } from '../base/field-path.ts';
import { isRecord, jsonEqual } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';
import { type LintFinding, nameOf } from './lint-finding.ts';
import { recordsIn } from './lint-webhooks.ts';

type Problem = readonly [rule: string, problem: string];
type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with the Pods, and with what selects them: L22 to L24, L26 and L27. */
export function lintPods(objects: readonly Manifest[]): readonly LintFinding[] {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return objects.flatMap((object) =>
    [...problemsOf(object, deployments)].map(([rule, problem]) => ({ rule, object: nameOf(object), problem })),
  );
}

function* problemsOf(object: Manifest, deployments: readonly Manifest[]): Generator<Problem> {
  switch (object.kind) {
    case 'Deployment':
      yield* podSecurity(object);
      yield* image(object);
      yield* ownPods(object, deployments);
      return;
    case 'Service':
      yield* servicePorts(object, deployments);
      return;
    case 'NetworkPolicy':
      yield* policyPorts(object, deployments);
      return;
    case 'PodDisruptionBudget':
      yield* budget(object, deployments);
  }
}

/** The restricted profile of Pod Security, and a root file system that cannot be written: L22. */
function* podSecurity(deployment: Manifest): Generator<Problem> {
  const pod = valueAt(deployment, ['spec', 'template', 'spec']);
  if (valueAt(pod, ['securityContext', 'runAsNonRoot']) !== true) yield ['L22', 'runAsNonRoot must be true'];
  if (valueAt(pod, ['securityContext', 'seccompProfile', 'type']) !== 'RuntimeDefault')
    yield ['L22', 'the seccompProfile must be RuntimeDefault'];
  for (const container of containersOf(deployment)) {
    const wanted = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    if (!jsonEqual(container['securityContext'], wanted))
      yield ['L22', `the container must have the securityContext ${JSON.stringify(wanted)}`];
    if (valueAt(container, ['resources', 'limits', 'cpu']) !== undefined)
      yield ['L22', 'a CPU limit shows up as webhook timeouts'];
    const [requests, limits] = ['requests', 'limits'].map((member) => valueAt(container, ['resources', member]));
    if (!isRecord(requests) || !isRecord(limits) || requests['memory'] === undefined || limits['memory'] === undefined)
      yield ['L22', 'memory must be requested and limited'];
  }
}

/** An image that names what it is, and the same image for the Jobs that the service makes: L26. */
function* image(deployment: Manifest): Generator<Problem> {
  for (const container of containersOf(deployment)) {
    const name = String(container['image']);
    if (!/@sha256:[0-9a-f]{64}$/.test(name) && !/:(?!latest$)[\w][\w.-]*$/.test(name))
      yield ['L26', `the image ${name} has neither a digest nor a tag other than latest`];
    const told = recordsIn(container['env']).find((variable) => variable['name'] === 'POD_IMAGE');
    if (told?.['value'] !== name) yield ['L26', 'POD_IMAGE must be the image of the container'];
  }
}

/** No two Deployments may count each other's Pods as their own: L27. */
function* ownPods(deployment: Manifest, deployments: readonly Manifest[]): Generator<Problem> {
  const selector = selectorOf(deployment, ['spec', 'selector', 'matchLabels']);
  if (!selects(selector, deployment)) yield ['L27', 'the selector does not select its own Pods'];
  for (const other of deployments) {
    if (other !== deployment && selects(selector, other))
      yield ['L27', `the selector selects the Pods of ${nameOf(other)}`];
  }
}

/** Every port that a Service names is one of the Pods it selects, and there are such Pods: L23. */
function* servicePorts(service: Manifest, deployments: readonly Manifest[]): Generator<Problem> {
  const selected = deployments.filter((deployment) => selects(selectorOf(service, ['spec', 'selector']), deployment));
  if (selected.length === 0) yield ['L23', 'the Service selects no Pods'];
  for (const { targetPort } of recordsIn(valueAt(service, ['spec', 'ports']))) {
    for (const deployment of selected) {
      if (!portsOf(deployment).some(({ name }) => name === targetPort))
        yield ['L23', `${nameOf(deployment)} has no port ${String(targetPort)}`];
    }
  }
}

/** Policies are judged on the Pod's own port, never on the Service's: L23. */
function* policyPorts(policy: Manifest, deployments: readonly Manifest[]): Generator<Problem> {
  const selector = selectorOf(policy, ['spec', 'podSelector', 'matchLabels']);
  const selected = deployments.filter((deployment) => selects(selector, deployment));
  if (selected.length === 0) yield ['L23', 'the NetworkPolicy selects no Pods'];
  const opened = recordsIn(valueAt(policy, ['spec', 'ingress'])).flatMap((rule) => recordsIn(rule['ports']));
  const known = selected.flatMap(portsOf).map(({ containerPort }) => containerPort);
  for (const { port } of opened) {
    if (!known.includes(port)) yield ['L23', `no Pod listens on ${String(port)}`];
  }
}

/** A budget that leaves no Pod to be evicted stops every drain of a node: L24. */
function* budget(object: Manifest, deployments: readonly Manifest[]): Generator<Problem> {
  const selector = selectorOf(object, ['spec', 'selector', 'matchLabels']);
  const selected = deployments.filter((deployment) => selects(selector, deployment));
  if (selected.length !== 1) yield ['L24', `the budget is for ${selected.length} Deployments instead of one`];
  const [minAvailable, maxUnavailable] = ['minAvailable', 'maxUnavailable'].map((member) =>
    valueAt(object, ['spec', member]),
  );
  const replicas = Math.min(...selected.map((deployment) => Number(valueAt(deployment, ['spec', 'replicas']) ?? 1)));
  if (maxUnavailable === 0 || (minAvailable !== undefined && Number(minAvailable) >= replicas))
    yield ['L24', `the budget lets none of ${replicas} Pods go`];
  if (valueAt(object, ['spec', 'unhealthyPodEvictionPolicy']) !== 'AlwaysAllow')
    yield ['L24', 'unhealthyPodEvictionPolicy must be AlwaysAllow: a Pod that is broken must not hold a node'];
}

function selectorOf(object: Manifest, path: readonly string[]): Fields {
  const labels = valueAt(object, path);
  return isRecord(labels) ? labels : {};
}

function selects(selector: Fields, deployment: Manifest): boolean {
  const labels = selectorOf(deployment, ['spec', 'template', 'metadata', 'labels']);
  return Object.keys(selector).length > 0 && Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function containersOf(deployment: Manifest): readonly Fields[] {
  return recordsIn(valueAt(deployment, ['spec', 'template', 'spec', 'containers']));
}

function portsOf(deployment: Manifest): readonly Fields[] {
  return containersOf(deployment).flatMap((container) => recordsIn(container['ports']));
}
