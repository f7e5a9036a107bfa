import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectureRules, formatFinding } from './all-rules.ts';
import { readProjectTexts, toProject } from './project.ts';

const project = toProject(await readProjectTexts());

test('the project has sources to look at', () => {
  assert.ok(project.sources.length > 50);
  assert.ok(project.sources.some(({ imports }) => imports.length > 0));
});

for (const { name, find } of architectureRules) {
  test(name, () => {
    const findings = find(project).map(formatFinding);
    assert.ok(findings.length === 0, `\n${findings.join('\n')}`);
  });
}
