import type { Unstructured } from '../base/object.ts';
import { ageOf } from './printing-age.ts';
import { isRecord } from '../base/json.ts';
import { listAt, memberAt, recordAt, textAt } from './raw-json.ts';
import type { Column } from './served-resource.ts';

type Cell = Column['cell'];

/** The first column of every table. */
export const NAME = column('Name', (object) => object.metadata.name, { format: 'name' });
/** The last one of most. */
export const AGE = column('Age', (object, now) => ageOf(object.metadata.creationTimestamp, now));
const CREATED = column('Created At', (object) => object.metadata.creationTimestamp ?? null);

/** Columns of the built-in kinds that print more than name and age. */
export const BUILTIN_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [NAME, column('Status', text('status', 'phase')), AGE],
  ConfigMap: [NAME, column('Data', (o) => count(o, 'data') + count(o, 'binaryData')), AGE],
  Secret: [NAME, column('Type', text('type')), column('Data', (o) => count(o, 'data')), AGE],
  ResourceQuota: [NAME, column('Request', quota(isRequest)), column('Limit', quota(isLimit)), AGE],
  LimitRange: [NAME, CREATED],
  NetworkPolicy: [NAME, column('Pod-Selector', (o) => selectorText(recordAt(o, 'spec', 'podSelector'))), AGE],
  Role: [NAME, CREATED],
  ClusterRole: [NAME, CREATED],
  RoleBinding: bindingColumns(),
  ClusterRoleBinding: bindingColumns(),
  CustomResourceDefinition: [NAME, CREATED],
  Lease: [NAME, column('Holder', text('spec', 'holderIdentity')), AGE],
  MutatingWebhookConfiguration: [NAME, column('Webhooks', (o) => listAt(o, 'webhooks').length), AGE],
  ValidatingWebhookConfiguration: [NAME, column('Webhooks', (o) => listAt(o, 'webhooks').length), AGE],
  Deployment: [
    NAME,
    column('Ready', (o) => `${number(o, 'status', 'readyReplicas')}/${number(o, 'spec', 'replicas')}`),
    column('Up-to-date', (o) => number(o, 'status', 'updatedReplicas')),
    column('Available', (o) => number(o, 'status', 'availableReplicas')),
    AGE,
  ],
  Service: [
    NAME,
    column('Type', text('spec', 'type')),
    column('Cluster-IP', (o) => textAt(o, 'spec', 'clusterIP') || '<none>'),
    column('External-IP', (o) => textAt(o, 'spec', 'externalName') || '<none>'),
    column('Port(s)', ports),
    AGE,
  ],
  Event: [
    column('Last Seen', (o, now) => ageOf(textAt(o, 'lastTimestamp') || textAt(o, 'eventTime'), now)),
    column('Type', text('type')),
    column('Reason', text('reason')),
    column('Object', (o) => objectText(recordAt(o, 'involvedObject'), recordAt(o, 'regarding'))),
    column('Message', (o) => (textAt(o, 'message') || textAt(o, 'note')).trim()),
    { ...NAME, priority: 1 },
  ],
};

/** A column from its name and its cell. */
export function column(
  name: string,
  cell: Cell,
  rest: Partial<Pick<Column, 'format' | 'priority' | 'type' | 'description'>> = {},
): Column {
  return { name, type: 'string', description: '', priority: 0, ...rest, cell };
}

function bindingColumns(): readonly Column[] {
  const subjects =
    (kind: string): Cell =>
    (object) =>
      listAt(object, 'subjects')
        .filter(isRecord)
        .filter((subject) => subject['kind'] === kind)
        .map((subject) =>
          [textAt(subject, 'namespace'), textAt(subject, 'name')].filter((part) => part !== '').join('/'),
        )
        .join(', ');
  return [
    NAME,
    column('Role', (o) => `${textAt(o, 'roleRef', 'kind')}/${textAt(o, 'roleRef', 'name')}`),
    AGE,
    column('Users', subjects('User'), { priority: 1 }),
    column('Groups', subjects('Group'), { priority: 1 }),
    column('ServiceAccounts', subjects('ServiceAccount'), { priority: 1 }),
  ];
}

function text(...path: readonly string[]): Cell {
  return (object) => textAt(object, ...path);
}

function count(object: Unstructured, member: string): number {
  return Object.keys(recordAt(object, member)).length;
}

function number(object: Unstructured, ...path: readonly string[]): number {
  const value = memberAt(object, path);
  return typeof value === 'number' ? value : 0;
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.');
}

function isRequest(name: string): boolean {
  return !isLimit(name);
}

function quota(chosen: (name: string) => boolean): Cell {
  return (object) => {
    const used = recordAt(object, 'status', 'used');
    const hard = recordAt(object, 'status', 'hard');
    const names = Object.keys(hard).filter(chosen).toSorted();
    return names.map((name) => `${name}: ${textAt(used, name) || '0'}/${textAt(hard, name)}`).join(', ');
  };
}

function ports(object: Unstructured): string {
  const shown = listAt(object, 'spec', 'ports')
    .filter(isRecord)
    .map((port) => `${String(port['port'])}/${textAt(port, 'protocol')}`);
  return shown.join(',') || '<none>';
}

function objectText(...candidates: readonly Readonly<Record<string, unknown>>[]): string {
  const found = candidates.find((candidate) => textAt(candidate, 'kind') !== '');
  return found === undefined ? '' : `${textAt(found, 'kind').toLowerCase()}/${textAt(found, 'name')}`;
}

/** A label selector the way kubectl prints it. */
function selectorText(selector: Readonly<Record<string, unknown>>): string {
  const labels = Object.entries(recordAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map((expression) => {
    const key = textAt(expression, 'key');
    const values = listAt(expression, 'values').join(',');
    switch (textAt(expression, 'operator')) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...labels.toSorted(), ...expressions].join(',') || '<none>';
}
