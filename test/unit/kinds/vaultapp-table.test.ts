import { kinds } from '../../../src/kinds/index.ts';
import { table } from '../../../src/testkit/table.ts';
import { clusterConfig, kindNamed } from '../../support/kind-harness.ts';
import { GRANT, vaultApp } from '../../support/vault-kind-scene.ts';
import { VaultScene } from '../../support/vault-scene.ts';

const shared = { ...GRANT, sharedPolicies: [{ name: 'read-common', namespaces: ['team-a'] }] };
const config = clusterConfig({ vault: shared });
const app = vaultApp('web', { policyRefs: [], sharedPolicies: ['read-common'] });

table(
  kindNamed('VaultApp'),
  {
    'an app with a shared policy that is granted gets its role': {
      given: { object: app, cluster: [config] },
      expect: { ready: 'True/Ready', children: [] },
    },
    'an app that refers to a policy which is not there waits for it': {
      given: { object: vaultApp(), cluster: [config] },
      expect: { children: [] },
    },
  },
  { others: kinds, outside: (clock) => ({ vault: new VaultScene('', clock).vault }) },
);
