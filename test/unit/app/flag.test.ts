import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../../src/app/flag.ts';
import { flagHelp } from '../../../src/app/help.ts';
import { readRunConfig } from '../../../src/app/run-config.ts';

const TABLE = {
  file: { type: 'text', description: 'A file' },
  wait: { type: 'duration', default: '30s', description: 'How long' },
  fast: { type: 'boolean', default: 'true', description: 'Be fast' },
  port: { type: 'port', default: '80', env: 'PORT', description: 'Port' },
} as const;

test('flags are read with either spelling, words are kept', () => {
  const { flags, words } = parseArguments(
    TABLE,
    ['--file', 'a', 'one', '--wait=1h30m', '--no-fast', '--', '--two'],
    {},
  );
  assert.deepEqual(flags, { file: 'a', wait: 5_400_000, fast: false, port: 80 });
  assert.deepEqual(words, ['one', '--two']);
});

test('a flag that may stand alone has its own value then, and takes no word that follows', () => {
  const table = { until: { type: 'duration', bare: '5m', description: 'How long' } } as const;
  assert.deepEqual(parseArguments(table, ['--until', 'now'], {}), { flags: { until: 300_000 }, words: ['now'] });
  assert.deepEqual(parseArguments(table, ['--until=90s'], {}).flags, { until: 90_000 });
  assert.deepEqual(parseArguments(table, [], {}).flags, { until: undefined });
  assert.match(flagHelp(table), /--until\[=DURATION\]/);
});

test('the environment fills in where the flag is not given', () => {
  assert.equal(parseArguments(TABLE, [], { PORT: '81' }).flags.port, 81);
  assert.equal(parseArguments(TABLE, ['--port=82'], { PORT: '81' }).flags.port, 82);
  assert.equal(parseArguments(TABLE, [], { PORT: '' }).flags.port, 80);
});

for (const [argv, message] of [
  [['--fiel=a'], 'Unknown flag --fiel; did you mean --file?'],
  [['--zzzzzzzz'], 'Unknown flag --zzzzzzzz; run with --help to see all flags'],
  [['--file'], 'Flag --file needs a value (A file)'],
  [['--wait=5'], 'Flag --wait: "5" is not a duration such as 30s, 5m or 1h30m'],
  [['--port=70000'], 'Flag --port: "70000" is not a whole number from 0 to 65535'],
  [['--fast=yes'], 'Flag --fast: "yes" is neither true nor false'],
] as const) {
  test(`${argv.join(' ')} is refused: ${message}`, () => {
    assert.throws(() => parseArguments(TABLE, argv, {}), { code: 'HOMEOSTAT_USAGE', message });
  });
}

test('run refuses words, unknown levels and zero workers', () => {
  assert.throws(() => readRunConfig(['now'], {}), { code: 'HOMEOSTAT_USAGE' });
  assert.throws(() => readRunConfig(['--log-level=loud'], {}), { code: 'HOMEOSTAT_USAGE' });
  assert.throws(() => readRunConfig(['--workers=0'], {}), { code: 'HOMEOSTAT_USAGE' });
});

test('run takes its namespace and name from the Pod', () => {
  const config = readRunConfig([], { POD_NAMESPACE: 'ops', POD_NAME: 'homeostat-abc' });
  assert.equal(config.namespace, 'ops');
  assert.equal(config.name, 'homeostat-abc');
  assert.equal(config.resync, 36_000_000);
});
