import { kinds } from '../../../src/kinds/index.ts';
import { table } from '../../../src/testkit/table.ts';
import { clusterConfig, kindNamed } from '../../support/kind-harness.ts';
import { GRANT, vaultPolicy } from '../../support/vault-kind-scene.ts';
import { VaultScene } from '../../support/vault-scene.ts';

const config = clusterConfig({ vault: GRANT });

table(
  kindNamed('VaultPolicy'),
  {
    'a policy that is granted is written': {
      given: { object: vaultPolicy(), cluster: [config] },
      expect: { ready: 'True/Ready', children: [] },
    },
    'a policy without a ClusterConfig waits for one': {
      given: { object: vaultPolicy() },
      expect: { ready: 'False/NoClusterConfig', children: [] },
    },
    'a policy that leaves its grant is refused': {
      given: {
        object: vaultPolicy(),
        cluster: [config],
        after: (cluster) => cluster.put(clusterConfig({ vault: { ...GRANT, enabled: false } })),
      },
      expect: { children: [] },
    },
  },
  { others: kinds, outside: (clock) => ({ vault: new VaultScene('', clock).vault }) },
);
