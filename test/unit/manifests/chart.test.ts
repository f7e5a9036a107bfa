import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { RUN_FLAGS } from '../../../src/app/run-config.ts';
import { isRecord } from '../../../src/base/json.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { renderChart } from '../../../src/manifests/chart.ts';
import { choicesOf } from '../../../src/manifests/chart-markup.ts';
import { merged } from '../../../src/manifests/chart-merge.ts';
import { templateLines, withoutSeams } from '../../../src/manifests/chart-yaml.ts';

const files = new Map(renderChart(kinds, { version: '1.2.3' }).map(({ path, text }) => [path, text]));
const templates = [...files].filter(([path]) => path.startsWith('chart/templates/'));
const textOf = (path: string): string => files.get(path) ?? assert.fail(`there is no ${path}`);

/** Paths of all values that hold something else than values. */
function leaves(value: unknown, path: readonly string[] = []): readonly string[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [path.join('.')];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]));
}

test('every value that a template reads is in values.yaml, and every value there is read', () => {
  const used = new Set(
    templates.flatMap(([, text]) =>
      [...text.replaceAll('$image.', '$.Values.image.').matchAll(/\$\.Values\.([A-Za-z.]+)/g)].map(
        ([, path = '']) => path,
      ),
    ),
  );
  const known = leaves(parse(textOf('chart/values.yaml')));
  const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`);
  for (const path of used)
    assert.ok(
      known.some((value) => isWithin(value, path)),
      `${path} is not in values.yaml`,
    );
  for (const value of known)
    assert.ok(
      [...used].some((path) => isWithin(value, path)),
      `${value} is not read`,
    );
});

test('the schema knows every value, and no other', () => {
  const schema: unknown = JSON.parse(textOf('chart/values.schema.json'));
  const named = (value: unknown): unknown =>
    isRecord(value) && isRecord(value['properties'])
      ? Object.fromEntries(Object.entries(value['properties']).map(([key, member]) => [key, named(member)]))
      : {};
  const outline = (value: unknown, like: unknown): unknown =>
    isRecord(value) && isRecord(like) && Object.keys(like).length > 0
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, outline(member, like[key])]))
      : {};
  const { global: _, ...properties } = named(schema) as Record<string, unknown>;
  assert.deepEqual(properties, outline(parse(textOf('chart/values.yaml')), properties));
});

test('every argument that the chart gives is a flag of run', () => {
  const flags = [...textOf('chart/templates/manager.yaml').matchAll(/- "--([^=]*)=/g)].map(([, flag = '']) => flag);
  assert.ok(flags.length > 15);
  assert.deepEqual(
    flags.filter((flag) => !Object.hasOwn(RUN_FLAGS, flag)),
    [],
  );
});

test('every condition of a template ends', () => {
  for (const [path, text] of templates) {
    const begun = text.match(/\{\{-? (?:if|with|range|define) /g)?.length ?? 0;
    assert.equal(text.match(/\{\{-? end -?\}\}/g)?.length ?? 0, begun, path);
  }
});

test('definitions are templates, for those in a folder crds are never upgraded', () => {
  assert.match(textOf('chart/templates/crd.yaml'), /kind: CustomResourceDefinition/);
  assert.ok([...files.keys()].every((path) => !path.startsWith('chart/crds/')));
});

test('braces of alerts and panels are not taken for Helm’s', () => {
  const monitoring = textOf('chart/templates/monitoring.yaml');
  assert.match(monitoring, /\{\{ "\{\{" \}\} \$labels\.hook \}\}/);
  assert.doesNotMatch(monitoring, /\{\{ \$labels/);
});

const CASES = ['a', 'b', 'c'] as const;

/** What is there in one case. */
function inCase(value: unknown, name: string): unknown {
  const chosen = (item: unknown): readonly unknown[] => {
    const choices = choicesOf(item);
    if (choices === undefined) return [inCase(item, name)];
    return choices.filter(({ condition }) => condition.includes(name)).flatMap((one) => chosen(one.value));
  };
  if (Array.isArray(value)) return value.flatMap(chosen);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => chosen(member).map((present) => [key, present] as const)),
  );
}

const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('x', 'y', 1), tie('list'), tie('record')),
  list: fc.array(fc.oneof(tie('value'), tie('named')), { maxLength: 4 }),
  named: fc.record({ name: fc.constantFrom('p', 'q'), value: fc.constantFrom(1, 2) }, { noNullPrototype: true }),
  record: fc.dictionary(fc.constantFrom('k', 'l', 'm'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).record;

test('what is merged holds each case as it was', () => {
  fc.assert(
    fc.property(document, document, document, (...documents) => {
      const alternatives = documents.map((value, index) => ({ name: CASES[index] ?? '', value }));
      const all = merged(alternatives, (names) => names.join(' '));
      for (const { name, value } of alternatives) assert.deepEqual(inCase(all, name), value);
    }),
    { numRuns: 500 },
  );
});

test('a template without marks is the YAML of the value', () => {
  fc.assert(
    fc.property(document, (value) => {
      fc.pre(isRecord(value) && Object.keys(value).length > 0);
      assert.deepEqual(parse(templateLines(value).join('\n')), value);
    }),
    { numRuns: 300 },
  );
});

test('neighbours under one condition share it', () => {
  const lines = [
    '{{- if .a }}',
    '- 1',
    '{{- end }}',
    '{{- if .a }}',
    '- 2',
    '{{- end }}',
    '{{- if .b }}',
    '{{- end }}',
  ];
  assert.deepEqual(withoutSeams(lines), ['{{- if .a }}', '- 1', '- 2', '{{- end }}', '{{- if .b }}', '{{- end }}']);
});
