import { clusterConfigKind } from '../../../src/kinds/clusterconfig/index.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { CONFIG_MAPS } from '../../../src/kube/well-known.ts';
import { failNth } from '../../../src/testkit/fault.ts';
import { ruleTable } from '../../../src/testkit/rule-table.ts';
import { table } from '../../../src/testkit/table.ts';
import { cleanStep, mapsStep, widget, widgetKind } from './widget-kind.ts';

const map = { namespace: 'team-a', name: 'w-0' };
const kind = widgetKind(cleanStep, mapsStep);

table(kind, {
  'two maps are made': {
    given: { object: widget },
    expect: {
      ready: 'True/Ready',
      conditions: { MapsApplied: 'True/Applied' },
      children: ['ConfigMap team-a/w-0', 'ConfigMap team-a/w-1'],
      requests: [
        'patch Widget team-a/w',
        'patch Widget/status team-a/w',
        'apply ConfigMap team-a/w-0',
        'apply ConfigMap team-a/w-1',
        'patch Widget/status team-a/w',
      ],
      events: ['Ready'],
      wake: 'event',
    },
  },
  'a map that somebody edits is brought back': {
    given: {
      object: widget,
      after: (cluster) => cluster.patch(CONFIG_MAPS, map, { data: { text: 'other' } }),
    },
    expect: { ready: 'True/Ready', requests: ['apply ConfigMap team-a/w-0'] },
  },
  'a map that belongs to somebody else is left': {
    given: {
      object: widget,
      cluster: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: map, data: { text: 'theirs' } }],
    },
    expect: { ready: 'False/Conflict', children: ['ConfigMap team-a/w-1'], wake: { afterMs: 300_000 } },
  },
  'a request that fails is sent again': {
    given: { object: widget, faults: [failNth('apply', 1, 503, 'ServiceUnavailable')] },
    expect: { ready: 'True/Ready', children: ['ConfigMap team-a/w-0', 'ConfigMap team-a/w-1'] },
  },
});

ruleTable(kind, {
  'a quiet text is let through': { after: widget, says: [] },
  'a shout is refused': {
    after: { ...widget, spec: { text: 'hey!', count: 1 } },
    says: ['spec.text: Invalid value: "hey!": must not shout'],
  },
  'what was wrong before is a warning': {
    before: { ...widget, spec: { text: 'hey!', count: 1 } },
    after: { ...widget, spec: { text: 'hey!', count: 2 } },
    says: ['warning: spec.text: Invalid value: "hey!": must not shout'],
  },
  'what the schema refuses comes alone': {
    after: { ...widget, spec: { text: 'hey!', count: 10 } },
    says: ['spec.count: Invalid value: 10: spec.count in body should be less than or equal to 9'],
  },
});

const samples = kinds.flatMap(({ samples: own }) => own);
const isKind = (name: string) => (sample: { readonly kind: string }) => sample.kind === name;

for (const shipped of [environmentKind, clusterConfigKind]) {
  const own = isKind(shipped.type.kind);
  const [object] = samples.filter(own);
  if (object === undefined) throw new Error(`${shipped.type.kind} has a sample`);
  const cluster = shipped === environmentKind ? samples.filter((sample) => !own(sample)) : [];
  table(
    shipped,
    { 'the sample converges': { given: { object, cluster }, expect: { ready: 'True/Ready' } } },
    { others: kinds },
  );
}
