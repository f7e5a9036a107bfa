import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { formatPath } from '../../../src/base/field-path.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { type Violation, violationText } from '../../../src/base/violation.ts';
import { compileSchema } from '../../../src/schema/compile.ts';
import { probeRoot } from './probe-schema.ts';

/**
 * What kube-apiserver 1.37.2 answered to a dry-run create of each object, with probeRoot as the CRD's schema: the spec it would
 * have stored and the fields it warned of, or the causes of its refusal.
 */
interface Recorded {
  readonly object: JsonObject;
  readonly spec?: JsonObject;
  readonly unknown?: readonly string[];
  readonly causes?: readonly (readonly [field: string, reason: string, message: string])[];
}

const file = new URL('recorded-answers.jsonl', import.meta.url);
const records = readFileSync(file, 'utf8').trimEnd().split('\n');
const schema = compileSchema(probeRoot);

describe('The schema answers as a real API server', () => {
  for (const [index, line] of records.entries()) {
    // Each line is written by the recording and has this shape.
    const record = JSON.parse(line) as Recorded;
    test(`to recorded object ${index + 1}`, () => {
      const prepared = schema.prepare(record.object);
      const violations = schema.violations(prepared);
      assert.deepEqual(
        violations.map(causeText).toSorted(),
        (record.causes ?? []).map((cause) => cause.join(' ')).toSorted(),
      );
      if (record.spec === undefined) return;
      assert.deepEqual(prepared['spec'], record.spec);
      assert.deepEqual(schema.unknownFields(record.object), record.unknown ?? []);
      assert.equal(schema.prepare(prepared), prepared);
    });
  }
});

/** The server has no field for a number out of the range of its format. */
function causeText(violation: Violation): string {
  const field = violation.detail.startsWith('Checked value') ? '<nil>' : formatPath(violation.path);
  return `${field} ${violation.type} ${violationText(violation)}`;
}
