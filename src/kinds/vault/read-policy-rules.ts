import {
  CAPABILITIES,
  capabilitySet,
  DENY,
  type ParameterValues,
  pathProblem,
  type PolicyRule,
  withoutLeadingSlash,
} from './policy-rule.ts';
import type { PolicyEntry, PolicyNode, PolicyObject, PolicyProblem } from './policy-tree.ts';

/** A rule, and where its text begins. */
export interface PlacedRule {
  readonly rule: PolicyRule;
  readonly at: PolicyProblem['at'];
}

/** What a policy's text says. Rules that have a problem are left out. */
export interface ReadPolicy {
  readonly rules: readonly PlacedRule[];
  readonly problems: readonly PolicyProblem[];
}

type Report = (at: PolicyProblem['at'], detail: string) => void;

/** Reads rules from a document, in the way of Vault 1.21 with what it only tolerates refused: legacy keywords, duplicates, unknown keys. */
export function readPolicyRules(document: PolicyObject): ReadPolicy {
  const rules: PlacedRule[] = [];
  const problems: PolicyProblem[] = [];
  const report: Report = (at, detail) => void problems.push({ at, detail });
  for (const [path, body, at] of pathBlocks(document, report)) {
    const before = problems.length;
    const rule = readRule(path, body, at, report);
    if (problems.length === before) rules.push({ rule, at });
  }
  if (rules.length === 0 && problems.length === 0)
    report(document.at, 'the policy has no path, so it would allow nothing');
  return { rules, problems };
}

type Block = readonly [path: string, body: PolicyObject, at: PolicyProblem['at']];

function* pathBlocks(document: PolicyObject, report: Report): Generator<Block> {
  for (const entry of flattened(document)) {
    const { keys, value, at } = entry;
    const [key = '', path] = keys;
    if (key === 'name' && keys.length === 1) {
      report(at, 'a name has no effect here: it follows from the namespace and the name of the VaultPolicy');
    } else if (key !== 'path') {
      report(at, `unknown key ${JSON.stringify(key)}; a policy holds path blocks`);
    } else if (path === undefined || keys.length > 2 || value.type !== 'object') {
      report(at, 'a path block is written path "secret/data/…" { … }');
    } else {
      yield [path, value, at];
    }
  }
}

/** JSON writes `{"path": {"secret/*": {…}}}` for what HCL writes as blocks; a list holds several of the same. */
function flattened(document: PolicyObject): readonly PolicyEntry[] {
  return document.entries.flatMap((entry) => {
    const [key] = entry.keys;
    if (key !== 'path' || entry.keys.length > 1) return [entry];
    const objects = entry.value.type === 'list' ? entry.value.items : [entry.value];
    return objects.flatMap((object) =>
      object.type === 'object'
        ? object.entries.map((inner) => ({ keys: [key, ...inner.keys], value: inner.value, at: inner.at }))
        : [entry],
    );
  });
}

const LEGACY = 'the keyword policy is of old; write capabilities = ["read", "list"] and the like';

function readRule(pattern: string, body: PolicyObject, at: PolicyProblem['at'], report: Report): PolicyRule {
  const problem = pathProblem(pattern);
  if (problem !== undefined) report(at, problem);
  const members = new Map<string, PolicyNode>();
  for (const entry of body.entries) {
    const [key = ''] = entry.keys;
    if (key === 'policy') report(entry.at, LEGACY);
    else if (!KNOWN_KEYS.has(key) || entry.keys.length > 1)
      report(entry.at, `unknown key ${JSON.stringify(entry.keys.join(' '))} in path ${JSON.stringify(pattern)}`);
    else if (members.has(key)) report(entry.at, `${key} stands twice in path ${JSON.stringify(pattern)}`);
    else members.set(key, entry.value);
  }
  const capabilities = readCapabilities(members.get('capabilities'), pattern, at, report);
  const limits = readLimits(members, report);
  // Vault stops reading a path at its deny.
  return { path: withoutLeadingSlash(pattern), capabilities, ...(capabilities[0] === DENY ? {} : limits) };
}

const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'comment',
  'capabilities',
  'allowed_parameters',
  'denied_parameters',
  'required_parameters',
  'min_wrapping_ttl',
  'max_wrapping_ttl',
]);

function readCapabilities(
  node: PolicyNode | undefined,
  pattern: string,
  at: PolicyProblem['at'],
  report: Report,
): readonly string[] {
  const texts = readTexts(node, 'capabilities', report);
  if (texts.length === 0) report(node?.at ?? at, `path ${JSON.stringify(pattern)} has no capabilities`);
  const known: readonly string[] = CAPABILITIES;
  for (const { text, at: place } of texts) {
    if (known.includes(text)) continue;
    report(place, `unknown capability ${JSON.stringify(text)}; known are ${known.join(', ')}`);
  }
  return capabilitySet(texts.map(({ text }) => text));
}

function readTexts(
  node: PolicyNode | undefined,
  key: string,
  report: Report,
): readonly { readonly text: string; readonly at: PolicyProblem['at'] }[] {
  if (node === undefined) return [];
  const texts = node.type === 'list' ? node.items.filter((item) => item.type === 'string') : [];
  if (node.type !== 'list' || texts.length < node.items.length) report(node.at, `${key} must be a list of strings`);
  return texts.map(({ value, at }) => ({ text: value, at }));
}

function readLimits(
  members: ReadonlyMap<string, PolicyNode>,
  report: Report,
): Omit<PolicyRule, 'path' | 'capabilities'> {
  const allowed = readParameters(members.get('allowed_parameters'), 'allowed_parameters', report);
  const denied = readParameters(members.get('denied_parameters'), 'denied_parameters', report);
  const required = readTexts(members.get('required_parameters'), 'required_parameters', report).map(({ text }) => text);
  const min = readSeconds(members.get('min_wrapping_ttl'), 'min_wrapping_ttl', report);
  const max = readSeconds(members.get('max_wrapping_ttl'), 'max_wrapping_ttl', report);
  const node = members.get('max_wrapping_ttl');
  if (node !== undefined && min !== undefined && max !== undefined && max !== 0 && max < min) {
    report(node.at, 'max_wrapping_ttl is less than min_wrapping_ttl');
  }
  return {
    ...(allowed === undefined ? {} : { allowedParameters: allowed }),
    ...(denied === undefined ? {} : { deniedParameters: denied }),
    ...(required.length === 0 ? {} : { requiredParameters: [...new Set(required)].toSorted() }),
    ...(min === undefined || min === 0 ? {} : { minWrappingSeconds: min }),
    ...(max === undefined || max === 0 ? {} : { maxWrappingSeconds: max }),
  };
}

function readParameters(node: PolicyNode | undefined, key: string, report: Report): ParameterValues | undefined {
  if (node === undefined) return undefined;
  if (node.type !== 'object') {
    report(node.at, `${key} must be an object of lists`);
    return undefined;
  }
  const values = new Map<string, readonly (string | number | boolean)[]>();
  for (const { keys, value, at } of node.entries) {
    const name = keys.join(' ').toLowerCase();
    if (values.has(name)) report(at, `${JSON.stringify(name)} stands twice in ${key}`);
    const items = value.type === 'list' ? value.items : undefined;
    const scalars = (items ?? []).flatMap((item) =>
      item.type === 'list' || item.type === 'object' ? [] : [item.value],
    );
    if (items === undefined || scalars.length < items.length || keys.length > 1) {
      report(at, `${key} holds lists of strings, numbers and booleans by parameter`);
    }
    values.set(name, scalars);
  }
  return values.size === 0 ? undefined : Object.fromEntries(values);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A number of seconds, or a duration such as `90s`, `1h30m` or `1d`. */
function readSeconds(node: PolicyNode | undefined, key: string, report: Report): number | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'number' && Number.isInteger(node.value) && node.value >= 0) return node.value;
  if (node.type === 'string') {
    if (/^\d+$/.test(node.value)) return Number(node.value);
    const parts = [...node.value.matchAll(/(\d+)([smhd])/g)];
    if (parts.length > 0 && parts.map(([part]) => part).join('') === node.value) {
      return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNIT_SECONDS[unit] ?? 0), 0);
    }
  }
  report(node.at, `${key} must be seconds or a duration such as "90s" or "1h"`);
  return undefined;
}
