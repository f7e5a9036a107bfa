import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../../architecture/project.ts';

const HEADINGS = [
  'Desired state',
  'Where it is stored',
  'How reality is observed',
  'The difference',
  'The idempotent action',
];

/** What a kind's README does not answer: headings that are missing, without text, or in another order. */
function unanswered(readme: string): readonly string[] {
  const sections = readme.split(/^## /m).slice(1);
  return HEADINGS.flatMap((heading, index) => {
    const [title = '', ...text] = (sections[index] ?? '').split('\n');
    if (title !== heading) return [`"${heading}" is not heading ${index + 1}`];
    return text.join('').trim() === '' ? [`"${heading}" is empty`] : [];
  });
}

for await (const index of glob(['src/kinds/*/index.ts', 'examples/*/kinds/*/index.ts'], { cwd: projectFolder })) {
  const folder = dirname(index);
  test(`the README of ${folder} answers five questions`, async () => {
    assert.deepEqual(unanswered(await readFile(join(projectFolder, folder, 'README.md'), 'utf8')), []);
  });
}

test('a heading without text is found', () => {
  const readme = HEADINGS.map((heading) => `## ${heading}\n${heading === 'The difference' ? '' : 'Text.'}\n`).join('');
  assert.deepEqual(unanswered(`# Kind\n${readme}`), ['"The difference" is empty']);
});
