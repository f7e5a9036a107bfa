import { isRecord, jsonEqual } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';

/** What the API server fills in where a hook says nothing; ours says the rest itself. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  namespaceSelector: {},
  objectSelector: {},
  matchConditions: [],
  reinvocationPolicy: 'Never',
};

/** Members of a hook that decide when it is called, where, and what becomes of a call that fails. */
const COMPARED = [
  'failurePolicy',
  'timeoutSeconds',
  'matchPolicy',
  'sideEffects',
  'admissionReviewVersions',
  'rules',
  'matchConditions',
  'namespaceSelector',
  'objectSelector',
  'reinvocationPolicy',
];

/**
 * How a registered webhook configuration differs from the one this version renders, one sentence a difference. The caBundle is
 * not compared: it belongs to whoever writes it.
 */
export function hookDifferences(rendered: Manifest, registered: unknown): readonly string[] {
  const wanted = hooksByName(rendered);
  const found = hooksByName(registered);
  const differences: string[] = [];
  for (const [name, hook] of wanted) {
    const other = found.get(name);
    if (other === undefined) {
      differences.push(`${name} is not registered`);
      continue;
    }
    const members = COMPARED.filter((member) => !jsonEqual(valueOf(hook, member), valueOf(other, member)));
    if (!jsonEqual(serviceOf(hook), serviceOf(other))) members.push('clientConfig');
    if (members.length > 0) differences.push(`${name} has another ${members.join(', ')}`);
  }
  for (const name of found.keys()) {
    if (!wanted.has(name)) differences.push(`${name} is registered and not known here`);
  }
  return differences;
}

/** PEM texts of the caBundles of a registered configuration, one a hook; empty where there is none. */
export function caBundlesOf(registered: unknown): readonly string[] {
  return Array.from(hooksByName(registered).values(), (hook) => {
    const config = hook['clientConfig'];
    const bundle = isRecord(config) ? config['caBundle'] : undefined;
    return typeof bundle === 'string' ? Buffer.from(bundle, 'base64').toString('utf8') : '';
  });
}

function hooksByName(configuration: unknown): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const hooks = isRecord(configuration) ? configuration['webhooks'] : undefined;
  const records = Array.isArray(hooks) ? hooks.filter(isRecord) : [];
  return new Map(records.map((hook) => [String(hook['name']), hook]));
}

function valueOf(hook: Readonly<Record<string, unknown>>, member: string): unknown {
  return hook[member] ?? DEFAULTS[member];
}

function serviceOf(hook: Readonly<Record<string, unknown>>): unknown {
  const config = hook['clientConfig'];
  if (!isRecord(config)) return undefined;
  return { service: config['service'], url: config['url'] };
}
