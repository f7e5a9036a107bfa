import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, temporaryFolder } from './commands.ts';

const folder = await temporaryFolder();

/** What `check` says about a file of this text, without the folder. */
async function checked(text: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const file = join(folder, 'file.yaml');
  await writeFile(file, text);
  const { code, out } = await commandLine('check', file);
  return { code, lines: out.map((line) => line.replace(`${folder}/`, '')) };
}

const HEAD = 'apiVersion: homeostat.io/v1alpha1\nkind: Environment\nmetadata: { name: dev, namespace: team-a }\n';

test('the samples have no problem', async () => {
  const { code, out } = await commandLine('check', 'manifests/samples');
  assert.equal(code, 0);
  assert.match(out.join('\n'), /^\d+ objects checked, 2 objects of other kinds not: 0 problems\.$/);
});

test('a kind of our group that is not there is a problem, with the one that is meant', async () => {
  const { code, lines } = await checked(`${HEAD.replace('Environment', 'Enviroment')}spec: {}\n`);
  assert.deepEqual(
    [code, lines[0]],
    [1, 'file.yaml:2: Enviroment team-a/dev: homeostat.io has no kind "Enviroment"; did you mean Environment?'],
  );
  const far = await checked(`${HEAD.replace('Environment', 'Deployment')}spec: {}\n`);
  assert.match(far.lines[0] ?? '', /^file\.yaml:2: .*homeostat\.io has no kind "Deployment"; it has ClusterConfig, /);
});

test('a version that is not there is a problem, with the one that is', async () => {
  const { code, lines } = await checked(`${HEAD.replace('v1alpha1', 'v9')}spec: {}\n`);
  assert.deepEqual(
    [code, lines[0]],
    [
      1,
      'file.yaml:1: Environment team-a/dev: homeostat.io has no version "v9" of Environment; use homeostat.io/v1alpha1',
    ],
  );
});

test('an unknown field is a problem where it stands', async () => {
  const { code, lines } = await checked(`${HEAD}spec:\n  stage: dev\n  stagee: dev\n`);
  assert.deepEqual([code, lines[0]], [1, 'file.yaml:6: Environment team-a/dev: unknown field "spec.stagee"']);
  assert.equal(lines.at(-1), '1 object checked: 1 problem, 1 warning.');
});

test('a wrong value is found at its own line, in a list of a map', async () => {
  const { code, lines } = await checked(
    `${HEAD}spec:\n  resourceQuotas:\n    - name: q\n      hard:\n        pods: 4xx\n`,
  );
  assert.equal(code, 1);
  assert.match(
    lines.join('\n'),
    /^file\.yaml:8: Environment team-a\/dev: spec\.resourceQuotas\[0\]\.hard\[pods\]: Invalid value: "4xx"/m,
  );
});

test('a missing field is a problem of the object that lacks it', async () => {
  const { lines } = await checked(`${HEAD}spec:\n  serviceAccounts:\n    - automountServiceAccountToken: true\n`);
  assert.match(lines[0] ?? '', /^file\.yaml:6: .*spec\.serviceAccounts\[0\]\.name: Required value/);
});

test('a reference into the same files is found, one out of them is a warning', async () => {
  const spec =
    'spec: { teamRef: { name: a }, roleBindings: [{ name: b, roleRef: { name: view }, subjectsFromTeam: owner }] }\n';
  const alone = await checked(HEAD + spec);
  const team =
    '---\napiVersion: homeostat.io/v1alpha1\nkind: TeamConfig\nmetadata: { name: a }\nspec:\n  members: [{ kind: User, name: ada, role: owner }]\n';
  const together = await checked(HEAD + spec + team);
  assert.match(alone.lines.join('\n'), /^file\.yaml:4: warning: .*teamRef/m);
  assert.doesNotMatch(together.lines.join('\n'), /teamRef/);
  assert.deepEqual([alone.code, together.code], [0, 0]);
});

test('a file that is no YAML is a problem at its line', async () => {
  const { code, lines } = await checked(`${HEAD}spec: [\n`);
  assert.equal(code, 1);
  assert.match(lines[0] ?? '', /^file\.yaml:[45]: /);
});

test('an object that stands twice is a problem', async () => {
  const { code, lines } = await checked(`${HEAD}spec: {}\n---\n${HEAD}spec: {}\n`);
  assert.equal(code, 1);
  assert.match(
    lines.join('\n'),
    /^file\.yaml:8: Environment team-a\/dev: stands here a second time; it is also in .*:3$/m,
  );
});

test('a file that is not there is told in one sentence', async () => {
  const { code, err } = await commandLine('check', join(folder, 'none.yaml'));
  assert.equal(code, 2);
  assert.match(err.join('\n'), /^error: Cannot read .*none\.yaml/);
});

test('documents that are empty, as templates leave them behind, are no problem', async () => {
  const { lines } = await checked(`---\n# Source: a.yaml\n---\nnull\n---\n${HEAD}spec:\n  stage: dev\n  stagee: dev\n`);
  assert.equal(lines[0], 'file.yaml:11: Environment team-a/dev: unknown field "spec.stagee"');
  assert.equal(lines.at(-1), '1 object checked: 1 problem, 1 warning.');
});

test('a file that would unfold or nest without end is a problem of that file', async () => {
  const levels = Array.from({ length: 5 }, (_, level) => {
    const inside = Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*a${level - 1}`));
    return `a${level}: &a${level} [${inside.join(', ')}]\n`;
  });
  const bomb = await checked(levels.join(''));
  assert.deepEqual([bomb.code, bomb.lines[0]], [1, 'file.yaml:1: has aliases that unfold to more than can be read']);
  const deep = await checked(`a: ${'['.repeat(100_000)}`);
  assert.deepEqual([deep.code, deep.lines[0]], [1, 'file.yaml:1: is nested too deeply to be read']);
});
