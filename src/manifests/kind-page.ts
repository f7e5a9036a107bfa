import { apiVersionOf } from '../base/resource.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import type { ManifestSlice } from './slice.ts';
import { toYaml } from './yaml-text.ts';

/** The reference page of a kind in Markdown: how it is named, a sample, every field of spec and status, columns and hooks. */
export function renderKindPage(kind: ManifestSlice): string {
  const { type, structure } = kind;
  const sample = kind.samples.find((object) => object.kind === type.kind);
  const names = [`\`${type.plural}\``, ...kind.shortNames.map((name) => `\`${name}\``)].join(', ');
  const parts = [
    `# ${type.kind}`,
    kind.description,
    `API version \`${apiVersionOf(type)}\`, ${type.namespaced ? 'in a namespace' : 'for the whole cluster'}; kubectl knows it as ${names}.`,
    ...(sample === undefined ? [] : ['## Sample', `\`\`\`yaml\n${toYaml([sample])}\`\`\``]),
    ...fieldSection('Spec', 'spec', structure),
    ...fieldSection('Status', 'status', structure),
    '## Columns',
    table(
      ['column', 'shows', 'where'],
      kind.columns.map((column) => [
        column.name,
        code(column.jsonPath),
        column.priority === 1 ? '`-o wide`' : 'always',
      ]),
    ),
    '## Hooks',
    table(
      ['hook', 'on', 'failurePolicy', 'timeout'],
      kind.hooks.map((hook) => [
        hook.phase,
        hook.operations.join(', '),
        hook.failurePolicy,
        `${hook.timeoutSeconds} s`,
      ]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function fieldSection(title: string, member: string, structure: StructuralSchema): readonly string[] {
  const schema = structure.properties?.[member];
  if (schema === undefined) return [];
  return [`## ${title}`, table(['field', 'type', 'meaning'], fieldRows(schema, member))];
}

/** One row a field, parents before members; list items are spelled `[]` and map values `{}`. */
function fieldRows(
  schema: StructuralSchema,
  path: string,
  required: readonly string[] = [],
): readonly (readonly string[])[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = `${path}.${name}`;
    const note = (schema.required ?? required).includes(name) ? ' Required.' : '';
    return [
      [code(at), typeOf(member), `${member.description ?? ''}${note}${boundsOf(member)}`],
      ...fieldRows(member, at),
    ];
  });
  const items = schema.items === undefined ? [] : fieldRows(schema.items, `${path}[]`);
  const values = schema.additionalProperties === undefined ? [] : fieldRows(schema.additionalProperties, `${path}{}`);
  return [...own, ...items, ...values];
}

function typeOf(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? 'any';
}

function boundsOf(schema: StructuralSchema): string {
  const notes: string[] = [];
  if (schema.default !== undefined) notes.push(`Default ${code(JSON.stringify(schema.default))}.`);
  if (schema.enum !== undefined)
    notes.push(`One of ${schema.enum.map((value) => code(JSON.stringify(value))).join(', ')}.`);
  if (schema.maxItems !== undefined) notes.push(`At most ${schema.maxItems} items.`);
  if (schema.maxProperties !== undefined) notes.push(`At most ${schema.maxProperties} entries.`);
  return notes.length === 0 ? '' : ` ${notes.join(' ')}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
