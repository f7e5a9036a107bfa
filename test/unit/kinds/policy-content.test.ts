import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../../../src/base/field-path.ts';
import { policyContent } from '../../../src/kinds/vaultpolicy/policy-content.ts';

function findingsOf(parameters: object): readonly string[] {
  const rule = { path: 'secret/data/a', capabilities: ['update' as const], ...parameters };
  return policyContent({ deletionPolicy: 'Delete', rules: [rule] }).findings.map(
    ({ path, type, detail }) => `${formatPath(path)} ${type} ${detail}`,
  );
}

for (const member of ['allowedParameters', 'deniedParameters']) {
  test(`two spellings of one name in ${member} are refused: one would be dropped`, () => {
    assert.deepEqual(findingsOf({ [member]: { Password: [], password: ['x'], other: [] } }), [
      `spec.rules[0].${member}[password] FieldValueDuplicate is "Password" to Vault, which reads parameters in lower case`,
    ]);
    assert.deepEqual(findingsOf({ [member]: { Password: [], other: [] } }), []);
  });
}
