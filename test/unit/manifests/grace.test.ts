import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRunConfig } from '../../../src/app/run-config.ts';
import { valueAt } from '../../../src/base/field-path.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { allVariants } from '../../../src/manifests/variants.ts';
import { ABORT_MS } from '../../../src/runtime/manager.ts';

const variants = allVariants(defaultManifestSettings('1.2.3'));
const longestReviewMs = 1000 * Math.max(...kinds.flatMap(({ hooks }) => hooks.map((hook) => hook.timeoutSeconds)));

for (const { folder, settings } of variants) {
  test(`${folder}: the kill comes after the delay, the drain, the return of the lease and the longest review`, () => {
    const deployments = renderInstallation(kinds, settings).filter(({ kind }) => kind === 'Deployment');
    assert.ok(deployments.length > 0);
    for (const deployment of deployments) {
      const pod = valueAt(deployment, ['spec', 'template', 'spec']);
      const args = valueAt(pod, ['containers', 0, 'args']);
      assert.ok(Array.isArray(args));
      // What the service itself makes of its command line.
      const [command, ...flags] = args.map(String);
      assert.equal(command, 'run');
      const config = readRunConfig(flags, {});
      assert.equal(valueAt(pod, ['containers', 0, 'lifecycle']), undefined, 'the delay is the service’s own');
      const graceMs = 1000 * Number(valueAt(pod, ['terminationGracePeriodSeconds']));
      assert.ok(graceMs > config['shutdown-delay'] + config.drain + ABORT_MS + longestReviewMs);
    }
  });
}
