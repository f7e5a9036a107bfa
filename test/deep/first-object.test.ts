import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deploy } from '../e2e/harness.ts';
import { homeostat } from '../e2e/harness-lone-service.ts';
import { API_VERSION, Scenario } from '../e2e/scenario.ts';

// Each round begins without webhooks, certificate and leader, as before an installation.
const deployment = await deploy({ flags: { 'shutdown-delay': '0s' } });
const { plane, manifests } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const ROUNDS = 20;

/** Everything that an installation has to bring together again. */
async function takeAway(): Promise<void> {
  const running = deployment.replicas.filter(({ process }) => process.isRunning());
  await the.kubectl('delete', 'mutatingwebhookconfiguration,validatingwebhookconfiguration', 'homeostat');
  await Promise.all(running.map(async (replica) => replica.stop()));
  await the.kubectl('delete', 'secret', manifests.secret, '-n', manifests.namespace);
  await the.kubectl('delete', 'lease', '--all', '-n', manifests.namespace);
}

test('B-47 the first object after an installation is taken, 20 times of 20, when verify --wait says so', async (t) => {
  let refused = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    await takeAway();
    await deployment.applyManifests();
    const starting = deployment.scaleUp();
    const { code, stdout } = await homeostat(['verify', '--wait=2m', `--kubeconfig=${plane.kubeconfig}`], plane.folder);
    assert.equal(code, 0, stdout);
    const first = { apiVersion: API_VERSION, kind: 'ClusterConfig', metadata: { name: 'default' }, spec: {} };
    const { stderr } = await plane.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(first), mayFail: true });
    if (stderr !== '') refused += 1;
    await starting;
    await the.kubectl('delete', 'clusterconfig', 'default', '--ignore-not-found');
  }
  t.diagnostic(`${ROUNDS - refused} of ${ROUNDS}`);
  assert.equal(refused, 0);
});
