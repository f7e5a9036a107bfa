import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { deploy } from '../e2e/harness.ts';
import { anEnvironment, Scenario } from '../e2e/scenario.ts';

// Without election the next process need not wait for the lease of the killed one.
const deployment = await deploy({ flags: { 'leader-elect': 'false' } });
const the = new Scenario(deployment);
after(async () => deployment.close());

/** A fresh Environment takes some 200 ms: the kills fall before, between and after its steps. */
const KILLS = 10;
const KILL_EVERY_MS = 25;

test('killed at any point and started again, the service ends in the same state without duplicates', async () => {
  await the.applySamples();
  const names = Array.from({ length: KILLS }, (_, index) => `k${index}`);
  const steps = new Set<string>();
  for (const [index, name] of names.entries()) {
    const replica = deployment.replicas.at(-1);
    await the.apply(anEnvironment(name));
    await delay(index * KILL_EVERY_MS);
    await replica?.kill();
    steps.add(await the.value('{.status.step}', '-n', 'team-a', 'env', name));
    await deployment.scaleUp();
  }
  for (const name of names) {
    await the.kubectl('wait', 'env', name, '-n', 'team-a', '--for=condition=Ready', '--timeout=60s');
  }
  for (const name of names) {
    const target = ['-n', `team-a-${name}`];
    const children = await the.kubectl('get', 'quota,limits,sa,rolebinding,netpol', ...target, '-o', 'name');
    assert.deepEqual(children.split('\n').toSorted(), [
      'limitrange/defaults',
      'networkpolicy.networking.k8s.io/default-deny',
      'networkpolicy.networking.k8s.io/same',
      'resourcequota/compute',
      'rolebinding.rbac.authorization.k8s.io/devs',
      'serviceaccount/app',
      'serviceaccount/default',
    ]);
  }
  const created = (await the.writes()).filter((write) => /^create namespaces\/.*\/k|^create namespaces/.test(write));
  assert.equal(new Set(created).size, created.length, created.join('\n'));
});
