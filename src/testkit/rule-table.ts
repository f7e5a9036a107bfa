import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Snapshot } from '../app/snapshot.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import { apiVersionOf } from '../base/resource.ts';
import { formatViolation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import { evaluateRules } from '../rules/evaluate.ts';
import type { Kind } from '../sdk/kind.ts';
import type { TableOptions } from './table.ts';

/** One row of a table of rules: an object that is created, changed or deleted, and what is said about it. */
export interface RuleRow {
  /** The object before; absent while it is being created. */
  readonly before?: Manifest;
  /** The object after; absent while it is being deleted. */
  readonly after?: Manifest;
  /** Objects that rules look up. @defaultValue none */
  readonly cluster?: readonly Manifest[];
  /**
   * What a person reads, in order: `spec.size: Invalid value: 9: must be at most 8`. Warnings begin with `warning: `. What the schema
   * refuses comes alone, since rules run only on what it lets pass.
   */
  readonly says: readonly string[];
}

/** Tests of a kind's schema and rules as admission runs them, as a table: one test a row. */
export function ruleTable(
  kind: Kind,
  rows: Readonly<Record<string, RuleRow>>,
  { others = [] }: TableOptions = {},
): void {
  const kinds = [...others.filter((other) => other !== kind), kind];
  for (const [name, row] of Object.entries(rows)) {
    void test(`${kind.type.kind}: ${name}`, () => assert.deepEqual(judge(kind, row, kinds), row.says));
  }
}

/** What admission says about the change of a row. */
export function judge(kind: Kind, row: Omit<RuleRow, 'says'>, kinds: readonly Kind[]): readonly string[] {
  const { before, after } = row;
  const stored = (manifest: Manifest): Unstructured => kind.schema.prepare(withIdentity(manifest));
  if (after !== undefined) {
    const broken = kind.schema.violations(stored(after));
    if (broken.length > 0) return broken.map(formatViolation);
  }
  const change = changeOf(before && stored(before), after && stored(after));
  const context = { lookup: lookupOf(row.cluster ?? [], kinds), operatorNamespace: 'homeostat-system' };
  return evaluateRules(kind.rules, change, context).map(
    (violation) => `${violation.severity === 'warn' ? 'warning: ' : ''}${formatViolation(violation)}`,
  );
}

function changeOf(before: KubeObject | undefined, after: KubeObject | undefined): Change<KubeObject> {
  if (before !== undefined && after !== undefined) return { type: 'update', before, after };
  if (after !== undefined) return { type: 'create', after };
  assert.ok(before !== undefined, 'a row of a rule table names "before", "after" or both');
  return { type: 'delete', before };
}

function lookupOf(cluster: readonly Manifest[], kinds: readonly Kind[]): Snapshot {
  const snapshot = Snapshot.empty(kinds);
  const types = kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
  for (const manifest of cluster) {
    const type = types.find((known) => known.kind === manifest.kind && apiVersionOf(known) === manifest.apiVersion);
    assert.ok(type !== undefined, `no kind of this table reads ${manifest.apiVersion} ${manifest.kind}`);
    const owner = kinds.find((kind) => kind.type === type);
    const object = withIdentity(manifest);
    snapshot.put(type, owner === undefined ? object : owner.schema.prepare(object));
  }
  return snapshot;
}

function withIdentity(manifest: Manifest): Unstructured {
  return {
    ...manifest,
    metadata: { uid: `uid-of-${manifest.metadata.name}`, resourceVersion: '1', ...manifest.metadata },
  };
}
