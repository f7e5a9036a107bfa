import type { Rule } from '../rules/rule.ts';
import type { ResourceType } from '../base/resource.ts';

/** What the page of rules needs of a kind. */
export interface RuledKind {
  readonly type: ResourceType;
  readonly rules: readonly Rule[];
  /** Present where the webhook asks for rights of the author. */
  readonly accessReviews?: unknown;
}

/**
 * The page of all rules in Markdown: id, kind, tier, what each speaks of and what it says. Rules of tier W are listed apart: they
 * are what an absent or deleted webhook lets through, until the controller looks; and apart from those, what it lets through for good.
 */
export function renderRulePage(kinds: readonly RuledKind[]): string {
  const rows = kinds.flatMap(({ type, rules }) => rules.map((rule) => ({ kind: type.kind, rule })));
  const bypassable = bypassableRules(kinds).map((id) => `- \`${id}\``);
  return `${[
    '# Rules',
    'What the service says about objects beyond their schemas. Rules about a state run in the webhook and again in the controller before it acts, with the same words.',
    [
      '- **C**: also CEL in the CRD; nobody gets past it.',
      '- **W**: webhook and controller. Nobody may be there to ask when an object is stored, so the controller looks again.',
      '- **R**: controller only.',
    ].join('\n'),
    table(rows),
    '## Bypassable',
    'Rules of tier W that speak of a state. With the webhooks away or deleted, an object that breaks one of them can be stored; the controller then writes nothing for it and says so in a condition.',
    bypassable.length === 0 ? 'There is none.' : bypassable.join('\n'),
    '## Never asked again',
    'A controller knows neither who asked nor what stood there before. With the webhooks away or deleted, this passes and stays:',
    neverAskedAgain(kinds).join('\n'),
    'Rules of tier W about a transition are in neither list: a step that depends on what they ask finds it by itself and holds the object under a reason of its own.',
  ].join('\n\n')}\n`;
}

/** Ids of the rules about states that only code holds: what passes while no webhook answers. */
export function bypassableRules(kinds: readonly RuledKind[]): readonly string[] {
  const states = kinds.flatMap(({ rules }) => rules.filter(({ tier, about }) => tier === 'W' && about === 'state'));
  return states.map(({ id }) => id);
}

function neverAskedAgain(kinds: readonly RuledKind[]): readonly string[] {
  const deletions = kinds.flatMap(({ rules }) => rules.filter(({ about }) => about === 'deletion'));
  const asked = kinds.filter(({ accessReviews }) => accessReviews !== undefined);
  return [
    `- Deletions that a rule would refuse: ${listOf(deletions.map(({ id }) => `\`${id}\``))}. These hooks fail open.`,
    `- Whether the author holds the rights that the object hands on, such as \`bind\` on a role that it binds: ${listOf(asked.map(({ type }) => type.kind))}. Rules that bound which rights can be handed on at all are asked again like every other.`,
  ];
}

function listOf(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.join(', ');
}

function table(rows: readonly { readonly kind: string; readonly rule: Rule }[]): string {
  const lines = rows.map(({ kind, rule }) => {
    const { id, tier, about, cel } = rule;
    return `| \`${id}\` | ${kind} | ${tier} | ${about} | ${pathOf(cel?.at)} | ${rule.says ?? cel?.message ?? wordsOf(id)} |`;
  });
  return ['| rule | kind | tier | about | at | says |', '|---|---|---|---|---|---|', ...lines].join('\n');
}

function pathOf(at: readonly string[] | undefined): string {
  if (at === undefined) return '';
  return `\`${at.join('.').replaceAll('.*', '[]')}\``;
}

function wordsOf(id: string): string {
  return id.slice(id.indexOf('.') + 1).replaceAll('-', ' ');
}
