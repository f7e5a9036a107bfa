import { readHcl } from './hcl-reader.ts';
import { readJson } from './json-reader.ts';
import { PolicySyntaxError } from './policy-tree.ts';
import { type ReadPolicy, readPolicyRules } from './read-policy-rules.ts';

/**
 * Reads the text of a Vault policy, HCL or, where its first character is `{`, JSON. What is wrong is told with line and column; a text that
 * cannot be read at all has one problem and no rule.
 */
export function parsePolicy(text: string): ReadPolicy {
  try {
    return readPolicyRules(text.trimStart().startsWith('{') ? readJson(text) : readHcl(text));
  } catch (error) {
    if (!(error instanceof PolicySyntaxError)) throw error;
    return { rules: [], problems: [{ at: error.at, detail: error.message }] };
  }
}
