import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/app/flag.ts';
import { readRunConfig } from '../../../src/app/run-config.ts';
import { readShardFlags } from '../../../src/app/shard-flags.ts';

const read = (...argv: readonly string[]): ReturnType<typeof readShardFlags> => readShardFlags(readRunConfig(argv, {}));

for (const [argv, declaration] of [
  [[], { type: 'all' }],
  [['--stage', 'dev'], { type: 'stage', stage: 'dev' }],
  [['--stage-not=int, dev'], { type: 'rest', except: ['dev', 'int'] }],
  [['--shard', '2/3'], { type: 'part', index: 2, of: 3 }],
] as const) {
  test(`"${argv.join(' ')}" is ${JSON.stringify(declaration)}`, () => assert.deepEqual(read(...argv), declaration));
}

for (const [argv, says] of [
  [['--stage=dev', '--stage-not=int'], /--stage and --stage-not exclude each other/],
  [['--stage=dev', '--shard=1/2'], /--stage and --shard exclude each other/],
  [['--stage=Dev_1'], /--stage: "Dev_1" is no stage/],
  [['--stage='], /--stage: "" is no stage/],
  [['--stage-not=dev,,int'], /--stage-not: "dev,,int" is no list of stages/],
  [['--stage-not=dev,dev'], /and there once/],
  [['--shard=0/3'], /--shard: "0\/3" is no part such as 1\/3/],
  [['--shard=4/3'], /--shard: "4\/3" is no part/],
  [['--shard=1/1'], /the second, which is from 2/],
  [['--shard=one'], /--shard: "one" is no part/],
  [['--stage=dev', '--no-leader-elect'], /--stage needs leader election/],
] as const) {
  test(`"${argv.join(' ')}" is refused with a sentence that says what to write`, () => {
    assert.throws(
      () => read(...argv),
      (error: unknown) => error instanceof UsageError && says.test(error.message),
    );
  });
}
