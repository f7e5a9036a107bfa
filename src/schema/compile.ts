import { invariant } from '../base/errors.ts';
import type { FieldPath, PathSegment } from '../base/field-path.ts';
import type { Violation } from '../base/violation.ts';
import type { CompiledSchema } from './compiled.ts';
import type { Broken, Defect } from './defects.ts';
import { InvalidSchema } from './invalid-schema.ts';
import { listTypeCheck } from './list-types.ts';
import { prepareRoot, ROOT_MEMBERS } from './prepare.ts';
import { schemaViolation } from './schema-violation.ts';
import type { StructuralSchema } from './structural.ts';
import { structureProblems } from './structure.ts';
import { unknownFieldsOf } from './unknown-fields.ts';
import { compileValidator, type Validator } from './validator.ts';

/** As many violations as a person reads at once; more only lengthen the answer. */
const MAX_VIOLATIONS = 20;

/** Objects with more values than this are told their first defect only, so that a hostile object costs no more than a valid one. */
const MAX_VALUES_FOR_ALL = 2000;

/** Of these checks the API server reports the first that fails. */
const TEXT_CHECKS: ReadonlySet<Broken['word']> = new Set(['maxLength', 'minLength', 'pattern']);

/**
 * Makes a schema ready for use. Takes some milliseconds; call it once a schema.
 *
 * @throws {@link InvalidSchema} when the schema is not structural, or uses a word or format that is not understood
 */
export function compileSchema(root: StructuralSchema): CompiledSchema {
  const problems = structureProblems(root);
  if (problems.length > 0) throw new InvalidSchema(problems);
  const checks: Checks = { validator: compileValidator(root, ROOT_MEMBERS), listTypes: listTypeCheck(root) };
  return {
    root,
    prepare: (object) => prepareRoot(object, root),
    violations: (object) => violationsOf(object, checks),
    unknownFields: (object) => unknownFieldsOf(object, root),
  };
}

/** What a schema has been compiled to. */
interface Checks {
  readonly validator: Validator;
  readonly listTypes: ReturnType<typeof listTypeCheck>;
}

function violationsOf(object: unknown, { validator, listTypes }: Checks): readonly Violation[] {
  if (validator.accepts(object)) return inPathOrder(listTypes(object));
  const isLarge = hasMoreValuesThan(object, MAX_VALUES_FOR_ALL);
  const defects = validator.defects(object, isLarge ? 1 : Number.POSITIVE_INFINITY);
  const [first] = defects;
  invariant(first !== undefined, 'what the compiled check refuses has a defect');
  if (isLarge) return [schemaViolation(first)];
  return inPathOrder([...withoutRepeatedTextChecks(defects).map(schemaViolation), ...listTypes(object)]);
}

function withoutRepeatedTextChecks(defects: readonly Defect[]): readonly Defect[] {
  const told = new Set<FieldPath>();
  return defects.filter(({ broken, path }) => {
    if (!TEXT_CHECKS.has(broken.word)) return true;
    const repeated = told.has(path);
    told.add(path);
    return !repeated;
  });
}

function inPathOrder(violations: readonly Violation[]): readonly Violation[] {
  return violations.toSorted((left, right) => comparePaths(left.path, right.path)).slice(0, MAX_VIOLATIONS);
}

/** Parents before members, indices by number, names by text. */
function comparePaths(left: FieldPath, right: FieldPath): number {
  for (const [index, segment] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareSegments(segment, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareSegments(left: PathSegment, right: PathSegment): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [leftName, rightName] = [nameOf(left), nameOf(right)];
  if (leftName === rightName) return 0;
  return leftName < rightName ? -1 : 1;
}

function nameOf(segment: PathSegment): string {
  return typeof segment === 'object' ? segment.key : String(segment);
}

/** Counts the values in an object, and stops at the limit. */
function hasMoreValuesThan(object: unknown, limit: number): boolean {
  const waiting: unknown[] = [object];
  for (let count = 0; waiting.length > 0; count += 1) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members: readonly unknown[] = Object.values(value);
    if (count + waiting.length + members.length > limit) return true;
    for (const member of members) waiting.push(member);
  }
  return false;
}
