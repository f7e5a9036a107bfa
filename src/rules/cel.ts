import { HomeostatError } from '../base/errors.ts';
import type { CelTwin, Rule } from './rule.ts';

/** What {@link placeCelRules} needs to know of a structural schema. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode;
  readonly items?: SchemaNode;
  readonly 'x-kubernetes-validations'?: readonly CelEntry[];
}

/** One entry of `x-kubernetes-validations`. */
type CelEntry = Omit<CelTwin, 'at' | 'message'> & { readonly message?: string };

/** A rule that stands in the CRD as well, with its CEL spelling. */
export interface TwinnedRule {
  readonly twin: CelTwin;
  readonly rule: Rule;
}

/** The rules of a kind that the API server enforces as CEL, in the order of the rules. */
export function celTwins(rules: readonly Rule[]): readonly TwinnedRule[] {
  return rules.flatMap((rule) => (rule.cel === undefined ? [] : [{ twin: rule.cel, rule }]));
}

/**
 * The TypeScript twin of a CEL text, for a server that has no CEL: where the text stands at several places, `at` tells which is
 * meant. `undefined` for a text that no rule of these has.
 */
export function twinOf(rules: readonly Rule[], cel: string, at?: readonly string[]): Rule | undefined {
  const found = celTwins(rules).find(({ twin }) => twin.rule === cel && (at === undefined || samePlace(twin.at, at)));
  return found?.rule;
}

/**
 * A copy of the schema with every rule's CEL twin at its place, after the validations that already stand there.
 *
 * @throws HomeostatError `HOMEOSTAT_RULE_PLACE` when a twin names a place that the schema does not have
 */
export function placeCelRules<Schema extends SchemaNode>(schema: Schema, rules: readonly Rule[]): Schema {
  return celTwins(rules).reduce((placed, { twin, rule }) => placeAt(placed, twin.at, twin, rule.id), schema);
}

function placeAt<Node extends SchemaNode>(node: Node, at: readonly string[], twin: CelTwin, id: string): Node {
  const [step, ...rest] = at;
  if (step === undefined) {
    const { at: _place, ...entry } = twin;
    return { ...node, 'x-kubernetes-validations': [...(node['x-kubernetes-validations'] ?? []), entry] };
  }
  const child = childAt(node, step);
  if (child === undefined) {
    throw new HomeostatError(
      'HOMEOSTAT_RULE_PLACE',
      `Rule ${id} stands at /${twin.at.join('/')}, which the schema does not have at ${JSON.stringify(step)}; correct the rule's cel.at`,
    );
  }
  return withChild(node, step, placeAt(child, rest, twin, id));
}

function childAt(node: SchemaNode, step: string): SchemaNode | undefined {
  if (step === '*') return node.items ?? node.additionalProperties;
  return node.properties !== undefined && Object.hasOwn(node.properties, step) ? node.properties[step] : undefined;
}

function withChild<Node extends SchemaNode>(node: Node, step: string, child: SchemaNode): Node {
  if (step !== '*') return { ...node, properties: { ...node.properties, [step]: child } };
  return node.items === undefined ? { ...node, additionalProperties: child } : { ...node, items: child };
}

function samePlace(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((step, index) => step === right[index]);
}
