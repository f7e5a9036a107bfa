import type { Manifest } from '../../src/base/object.ts';
import type { Row } from '../../src/testkit/row.ts';

const API_VERSION = 'homeostat.io/v1alpha1';

function config(spec: object): Manifest {
  return { apiVersion: API_VERSION, kind: 'ClusterConfig', metadata: { name: 'default' }, spec };
}

const environment: Manifest = {
  apiVersion: API_VERSION,
  kind: 'Environment',
  metadata: { name: 'dev', namespace: 'team-a' },
  spec: {},
};

/** What becomes of a ClusterConfig, whatever happens on the way. */
export const clusterConfigRows: Readonly<Record<string, Row>> = {
  'a config nobody uses is accepted': {
    given: { object: config({}) },
    expect: {
      ready: 'True/Ready',
      conditions: { Accepted: 'True/Valid' },
      status: { environments: 0 },
      children: [],
      requests: ['patch ClusterConfig/status default', 'patch ClusterConfig/status default'],
      events: ['Ready'],
      wake: 'event',
    },
  },
  'a config counts the Environments that use it': {
    given: { object: config({}), cluster: [environment] },
    expect: { ready: 'True/Ready', status: { environments: 1 } },
  },
  'a config that admission would refuse is not accepted': {
    given: { object: config({ quotaCeiling: { hard: { pods: 'many' } } }) },
    expect: { ready: 'False/Invalid', conditions: { Accepted: 'False/Invalid' }, events: ['ConfigInvalid'] },
  },
};
