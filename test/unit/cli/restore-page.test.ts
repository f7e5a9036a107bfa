import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { parseArguments } from '../../../src/app/flag.ts';
import { storeActions } from '../../../src/cli/store-actions.ts';
import { STORE_FLAGS } from '../../../src/cli/store-flags.ts';
import { projectFolder } from '../../architecture/project.ts';

const page = await readFile(join(projectFolder, 'docs', 'restore.md'), 'utf8');

/** Every command line of `store` on the page: those of the shell and those of containers. */
function commandLines(): readonly (readonly string[])[] {
  const shell = [...page.matchAll(/^homeostat store (.*)$/gm)].map(([, words = '']) => words.split(' '));
  const jobs = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as Job);
  const containers = jobs.flatMap(({ spec }) => spec.template.spec.initContainers);
  return [...shell, ...containers.map(({ args }) => args.slice(1))];
}

interface Job {
  readonly spec: {
    readonly template: { readonly spec: { readonly initContainers: readonly { readonly args: readonly string[] }[] } };
  };
}

test('every command of the page on restores is one, with flags that are known', () => {
  const lines = commandLines();
  assert.ok(lines.length >= 3);
  for (const line of lines) {
    const { words, flags } = parseArguments(STORE_FLAGS, line, {});
    assert.deepEqual(
      words.map((word) => Object.hasOwn(storeActions, word)),
      [true],
      line.join(' '),
    );
    assert.match(flags.folder ?? '', /^team-a\/orders$/);
  }
});
