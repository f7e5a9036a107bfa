import { type ParameterValues, type PolicyRule } from './policy-rule.ts';

/** Rules as HCL text. */
export function renderPolicy(rules: readonly PolicyRule[]): string {
  return rules.map(renderRule).join('\n');
}

function renderRule(rule: PolicyRule): string {
  const lines = [`  capabilities = ${list(rule.capabilities)}`];
  const { allowedParameters, deniedParameters, requiredParameters, minWrappingSeconds, maxWrappingSeconds } = rule;
  if (allowedParameters !== undefined) lines.push(`  allowed_parameters = ${parameters(allowedParameters)}`);
  if (deniedParameters !== undefined) lines.push(`  denied_parameters = ${parameters(deniedParameters)}`);
  if (requiredParameters !== undefined) lines.push(`  required_parameters = ${list(requiredParameters)}`);
  if (minWrappingSeconds !== undefined) lines.push(`  min_wrapping_ttl = ${minWrappingSeconds}`);
  if (maxWrappingSeconds !== undefined) lines.push(`  max_wrapping_ttl = ${maxWrappingSeconds}`);
  return `path ${quoted(rule.path)} {\n${lines.join('\n')}\n}\n`;
}

function parameters(values: ParameterValues): string {
  const lines = Object.entries(values).map(([name, items]) => `    ${quoted(name)} = ${list(items)}\n`);
  return `{\n${lines.join('')}  }`;
}

function list(items: readonly (string | number | boolean)[]): string {
  return `[${items.map((item) => (typeof item === 'string' ? quoted(item) : String(item))).join(', ')}]`;
}

/** JSON's escapes are HCL's too; `${` would begin what HCL takes as it is. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('${', String.raw`\u0024{`);
}
