import type { FieldPath, Finding } from '../../sdk/index.ts';
import { parsePolicy } from '../vault/parse-policy.ts';
import { capabilitySet, DENY, pathProblem, type PolicyRule, withoutLeadingSlash } from '../vault/policy-rule.ts';
import { describeProblem } from '../vault/policy-tree.ts';
import { renderPolicy } from '../vault/render-policy.ts';
import type { VaultPolicySpec } from './schema.ts';

/** A rule of a policy, and the field it stands in. */
export interface LocatedRule {
  readonly rule: PolicyRule;
  readonly path: FieldPath;
}

/** What a spec's policy says. */
export interface PolicyContent {
  readonly rules: readonly LocatedRule[];
  /**
   * HCL to write, without the marker: always what was read, put down anew. The author's own text never reaches Vault, whose parser might
   * read it in another way than this one, and give what was not checked.
   */
  readonly body: string;
  readonly findings: readonly Finding[];
}

/** Longest text to write: a store of Vault takes no entry of 512 KiB or 1 MiB, and its refusal would come only after admission. */
const MAX_WRITTEN_BYTES = 262_144;

/** What has been read already: several rules of one review, and then the steps, ask for the same. */
const known = new WeakMap<VaultPolicySpec, PolicyContent>();

/** Reads the policy of a spec, whichever way it is written. */
export function policyContent(spec: VaultPolicySpec): PolicyContent {
  const found = known.get(spec);
  if (found !== undefined) return found;
  const { policy, rules = [] } = spec;
  const read = policy === undefined ? contentOfRules(rules) : contentOfText(policy);
  const content = { ...read, findings: [...read.findings, ...sizeFindings(read.body)] };
  known.set(spec, content);
  return content;
}

function* sizeFindings(body: string): Generator<Finding> {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MAX_WRITTEN_BYTES) return;
  const detail = `is ${bytes} bytes as a policy in Vault, at most ${MAX_WRITTEN_BYTES}`;
  yield { type: 'FieldValueInvalid', path: ['spec'], detail };
}

function contentOfText(text: string): PolicyContent {
  const path: FieldPath = ['spec', 'policy'];
  const read = parsePolicy(text);
  const findings = read.problems.map((problem): Finding => {
    return { type: 'FieldValueInvalid', path, detail: describeProblem(problem) };
  });
  const rules = read.rules.map(({ rule }) => ({ rule, path }));
  return { rules, body: renderPolicy(rules.map(({ rule }) => rule)), findings };
}

function contentOfRules(given: NonNullable<VaultPolicySpec['rules']>): PolicyContent {
  const located = given.map((rule, index) => ({ rule: toRule(rule), path: ['spec', 'rules', index, 'path'] }));
  const findings = given.flatMap((rule, index): readonly Finding[] => {
    const { path } = rule;
    const detail = pathProblem(path);
    const twice = PARAMETERS.flatMap((member) => spelledTwice(rule[member], ['spec', 'rules', index, member]));
    if (detail === undefined) return twice;
    return [{ type: 'FieldValueInvalid', path: ['spec', 'rules', index, 'path'], value: path, detail }, ...twice];
  });
  return { rules: located, body: renderPolicy(located.map(({ rule }) => rule)), findings };
}

function toRule(given: NonNullable<VaultPolicySpec['rules']>[number]): PolicyRule {
  const { allowedParameters, deniedParameters, requiredParameters } = given;
  const path = withoutLeadingSlash(given.path);
  const capabilities = capabilitySet(given.capabilities);
  if (capabilities[0] === DENY) return { path, capabilities };
  return {
    path,
    capabilities,
    ...(isEmpty(allowedParameters) ? {} : { allowedParameters: lowerCased(allowedParameters) }),
    ...(isEmpty(deniedParameters) ? {} : { deniedParameters: lowerCased(deniedParameters) }),
    ...(requiredParameters === undefined || requiredParameters.length === 0
      ? {}
      : { requiredParameters: requiredParameters.toSorted() }),
  };
}

type Values = Readonly<Record<string, readonly string[]>>;

function isEmpty(values: Values | undefined): values is undefined {
  return values === undefined || Object.keys(values).length === 0;
}

const PARAMETERS = ['allowedParameters', 'deniedParameters'] as const;

/** Of two names that are one to Vault, one would be dropped, and with it what it denies. */
function spelledTwice(values: Values = {}, path: FieldPath): readonly Finding[] {
  const byName = Map.groupBy(Object.keys(values), (name) => name.toLowerCase());
  return [...byName.values()].flatMap((spellings): readonly Finding[] => {
    const [first = '', second] = spellings.toSorted();
    if (second === undefined) return [];
    const detail = `is "${first}" to Vault, which reads parameters in lower case`;
    return [{ type: 'FieldValueDuplicate', path: [...path, { key: second }], value: second, detail }];
  });
}

/** Vault reads names of parameters in lower case. */
function lowerCased(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name.toLowerCase(), list]));
}
