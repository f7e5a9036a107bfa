import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { canonicalJson } from '../../src/base/json.ts';
import { type Answer, type ContractTarget, type Exchange, send } from './contract-target.ts';

/** A sequence of exchanges whose answers were recorded from a real kube-apiserver. */
export interface Suite {
  /** Name of its recording. */
  readonly name: string;
  /** Starts what the exchanges need, and gives the texts they refer to. */
  readonly setUp?: (test: TestContext) => Promise<Readonly<Record<string, string>>>;
  readonly exchanges: readonly Exchange[];
}

const RECORDINGS = join(import.meta.dirname, 'recorded');
const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

/** Where the suites run, and whether the answers are recorded instead of compared. */
export interface RunOptions {
  readonly target: () => ContractTarget;
  readonly record: boolean;
}

/** Registers a test per suite. The answers must be those that a real kube-apiserver 1.37 gave. */
export function runSuite(suite: Suite, { target, record }: RunOptions): void {
  test(`${suite.name} answers as kube-apiserver does`, async (t) => {
    const path = join(RECORDINGS, `${suite.name}.json`);
    const recorded: Record<string, unknown> = record ? {} : JSON.parse(await readFile(path, 'utf8'));
    const values = new Map<string, string>(Object.entries((await suite.setUp?.(t)) ?? {}));
    for (const exchange of suite.exchanges) {
      const answer = await perform(target(), exchange, values);
      for (const [name, way] of Object.entries(exchange.save ?? {})) values.set(name, String(at(answer.body, way)));
      if (exchange.quiet === true) continue;
      const shown = comparable(answer, exchange);
      if (record) recorded[exchange.title] = shown;
      else await t.test(exchange.title, () => assert.deepEqual(shown, recorded[exchange.title]));
    }
    if (!record) return;
    await mkdir(RECORDINGS, { recursive: true });
    await writeFile(path, `${JSON.stringify(recorded, null, 1)}\n`);
  });
}

async function perform(
  target: ContractTarget,
  exchange: Exchange,
  values: ReadonlyMap<string, string>,
): Promise<Answer> {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => values.get(name) ?? '');
  const body = exchange.body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(exchange.body))) as unknown };
  const headers = Object.entries(exchange.headers ?? {}).map(([name, value]) => [name, fill(value)]);
  const request = { ...exchange, path: fill(exchange.path), headers: Object.fromEntries(headers), ...body };
  const { until } = exchange;
  for (let waited = 0; ; waited += PAUSE_MS) {
    const answer = await send(target, request);
    if (until === undefined || until(answer)) return answer;
    assert.ok(waited < PATIENCE_MS, `${exchange.title}: still ${JSON.stringify(answer)}`);
    await wait(PAUSE_MS);
  }
}

function comparable(answer: Answer, { compare }: Exchange): unknown {
  const body =
    compare === undefined
      ? neutral(answer.body)
      : compare.map((path) => neutral(at(answer.body, path) ?? null, String(path.at(-1))));
  return JSON.parse(JSON.stringify({ ...answer, body }));
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    value,
  );
}

const TIMES = new Set(['creationTimestamp', 'deletionTimestamp', 'time', 'lastTransitionTime', 'expirationTimestamp']);
/** Kept in order of time, or found in no order at all. */
const UNORDERED = new Set(['managedFields', 'causes']);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Replaces what differs from run to run: identities, times, versions, tokens, ports. */
function neutral(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return neutralText(value, key);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => neutral(item, key === 'cells' ? key : ''));
    return UNORDERED.has(key) ? items.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replaceAll(UUID, '<uid>'), neutral(member, name)]),
  );
}

function neutralText(text: string, key: string): string {
  if (TIMES.has(key)) return '<time>';
  if (key === 'resourceVersion') return '<version>';
  if (key === 'continue' || key === 'token') return '<token>';
  if (key === 'caBundle') return '<bundle>';
  if (key === 'cells' && /^(\d+[smhd])+$/.test(text)) return '<age>';
  return text
    .replaceAll(UUID, '<uid>')
    .replaceAll(/resource version: (\d+) \(\d+\)/g, 'resource version: $1 (<version>)')
    .replaceAll(/current: \d+/g, 'current: <version>')
    .replaceAll(/record \(\d+\)/g, 'record (<version>)')
    .replaceAll(/127\.0\.0\.1(:\d+)?/g, '<address>')
    .replaceAll(/"gen-[a-z0-9]{5}"/g, '"gen-<random>"')
    .replace(/^gen-[a-z0-9]{5}$/, 'gen-<random>')
    .replace(/ is invalid: \[.*\]$/, ' is invalid: [<causes>]');
}
