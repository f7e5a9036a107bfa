import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { bypassableRules, renderRulePage } from '../../../src/manifests/rule-page.ts';

test('every rule stands on the page, and those that can be passed by stand there twice', () => {
  const page = renderRulePage(kinds);
  for (const { id } of kinds.flatMap(({ rules }) => rules)) assert.ok(page.includes(`| \`${id}\` |`), id);
  for (const id of bypassableRules(kinds)) assert.ok(page.includes(`\n- \`${id}\``), id);
});

test('what passes for good while no webhook answers is named: deletions and the rights of the author', () => {
  const [, lost = ''] = renderRulePage(kinds).split('## Never asked again');
  assert.match(lost, /`environment\.prevent-deletion`/);
  assert.match(lost, /`bind` on a role that it binds: ClusterConfig, Environment, VaultPolicy\./);
});

test('a service whose kinds have no such rules says so', () => {
  const [{ type } = assert.fail('no kind')] = kinds;
  const page = renderRulePage([{ type, rules: [] }]);
  assert.match(page, /There is none\./);
  assert.match(page, /refuse: none\./);
});

test('the README says that nobody asks for the right to bind while the hooks are away', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  assert.match(readme, /nobody asks whether the author of a role binding may `bind` its role/);
});
