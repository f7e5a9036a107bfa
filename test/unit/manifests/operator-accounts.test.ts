import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { accountOf, type OperatorCommand, renderOperatorJob } from '../../../src/manifests/operator-accounts.ts';
import type { PolicyRule } from '../../../src/manifests/rbac.ts';
import { defaultManifestSettings, selectorLabels } from '../../../src/manifests/settings.ts';

const settings = defaultManifestSettings('1.0.0');

function rulesOf(command: OperatorCommand, kind: 'Role' | 'ClusterRole'): readonly PolicyRule[] {
  const role = renderOperatorJob(command, kinds, settings).find((object) => object.kind === kind);
  // Rendered by rulesFor.
  return (role?.['rules'] ?? assert.fail(`no ${kind}`)) as readonly PolicyRule[];
}

const verbsOf = (rules: readonly PolicyRule[]): readonly string[] =>
  [...new Set(rules.flatMap(({ verbs }) => verbs))].toSorted();

test('verify reads by name, and creates kinds of the cluster there and all others in its own namespace alone', () => {
  assert.deepEqual(verbsOf(rulesOf('verify', 'ClusterRole')), ['create', 'get']);
  assert.deepEqual(verbsOf(rulesOf('verify', 'Role')), ['create', 'get', 'list']);
  const created = (kind: 'Role' | 'ClusterRole'): readonly string[] =>
    rulesOf('verify', kind)
      .filter(({ verbs }) => verbs.includes('create'))
      .flatMap(({ resources }) => resources);
  const plurals = (namespaced: boolean): readonly string[] =>
    kinds
      .filter(({ type }) => type.namespaced === namespaced)
      .map(({ type }) => type.plural)
      .toSorted();
  assert.deepEqual(created('ClusterRole').toSorted(), plurals(false));
  assert.deepEqual(created('Role').toSorted(), plurals(true));
  assert.ok(
    [...rulesOf('verify', 'ClusterRole'), ...rulesOf('verify', 'Role')]
      .filter(({ verbs }) => verbs.includes('get'))
      .every(({ resourceNames }) => resourceNames !== undefined && resourceNames.length > 0),
  );
});

test('uninstall deletes, creates nothing, and reads no Secret but those it deletes', () => {
  const rules = [...rulesOf('uninstall', 'ClusterRole'), ...rulesOf('uninstall', 'Role')];
  assert.deepEqual(verbsOf(rules), ['delete', 'get', 'list', 'patch']);
  const secrets = rules.filter(({ resources }) => resources.includes('secrets'));
  assert.ok(secrets.length > 0 && secrets.every(({ resourceNames }) => resourceNames !== undefined));
  const patched = rules.filter(({ verbs }) => verbs.includes('patch'));
  assert.ok(patched.every(({ apiGroups }) => apiGroups.join() === 'homeostat.io'));
});

test('the Pod of a Job is not one that the Service leads to', () => {
  for (const command of ['verify', 'uninstall'] as const) {
    const job = renderOperatorJob(command, kinds, settings).find(({ kind }) => kind === 'Job');
    const spec = job?.['spec'];
    assert.ok(isRecord(spec) && isRecord(spec['template']) && isRecord(spec['template']['metadata']));
    const labels = spec['template']['metadata']['labels'];
    assert.ok(isRecord(labels) && Object.keys(selectorLabels()).some((name) => !(name in labels)));
    assert.equal(job?.metadata.name, accountOf(command));
  }
});
