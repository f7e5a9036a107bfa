import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../../architecture/project.ts';
import { shellCommands } from '../../e2e/page-commands.ts';
import { commandLine } from './commands.ts';

/** Every page that a person acts on. */
const PAGES: string[] = [];
for await (const page of glob(['*.md', 'docs/*.md', 'docs/runbooks/*.md'], { cwd: projectFolder })) PAGES.push(page);

for (const page of PAGES.toSorted()) {
  test(`every homeostat command of ${page} exists, with its flags`, async () => {
    const text = await readFile(join(projectFolder, page), 'utf8');
    const inline = [...text.matchAll(/`(homeostat [a-z][^`]*)`/g)].map(([, command = '']) => command);
    for (const command of [...shellCommands(text), ...inline].filter((line) => line.startsWith('homeostat '))) {
      const [, name = '', ...words] = command.split(/\s+/);
      const { code, out } = await commandLine(name, '--help');
      assert.equal(code, 0, command);
      for (const flag of words.filter((word) => /^--?[a-z]/.test(word) && word !== '--help')) {
        const spelled = flag.replace(/=.*/, '');
        assert.ok(new RegExp(`^ *${spelled}\\b`, 'm').test(out.join('\n')), `${command}: ${spelled}`);
      }
    }
  });
}
