import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { keyOf } from '../../src/base/resource.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { kinds } from '../../src/kinds/index.ts';
import { RESOURCE_QUOTAS } from '../../src/kube/well-known.ts';
import { KindRunner } from '../../src/testkit/kind-runner.ts';
import { projectFolder } from '../architecture/project.ts';
import { type Ended, homeostat } from '../e2e/harness-lone-service.ts';
import { RealTestClusters } from './real-test-cluster.ts';

const clusters = await RealTestClusters.start();
const folder = await mkdtemp(join(tmpdir(), 'homeostat-plan-'));
after(async () => {
  await clusters.close();
  await rm(folder, { recursive: true, force: true });
});

const cluster = await clusters.empty(kinds);
const shipped = [environmentKind, ...kinds.filter((kind) => kind !== environmentKind)];
const samples = shipped.flatMap((kind) => kind.samples);
/** The samples of an Environment and what it refers to. */
const SAMPLES = ['clusterconfig', 'teamconfig', 'environment'].map((name) =>
  join(projectFolder, `manifests/samples/${name}.yaml`),
);
const QUOTA = { namespace: 'team-a-dev', name: 'compute' };

/** `homeostat plan ARGS` as a process of its own, on the real control plane. */
function plan(...args: readonly string[]): Promise<Ended> {
  return homeostat(['plan', `--kubeconfig=${clusters.plane.kubeconfig}`, ...args], folder);
}

const linesOf = (ended: Ended): readonly string[] => ended.stdout.trimEnd().split('\n');

test('a plan for an empty cluster ends with 2, and its last line counts', async () => {
  const ended = await plan('-f', ...SAMPLES);
  assert.deepEqual([ended.code, ended.stderr], [2, '']);
  assert.ok(linesOf(ended).includes('+ ResourceQuota team-a-dev/compute'), ended.stdout);
  assert.match(linesOf(ended).at(-1) ?? '', /^Plan: \d+ to add, 0 to change, 0 to destroy\.$/);
});

test('after convergence a plan says so and ends with 0, as text and as JSON', async () => {
  for (const sample of samples) await cluster.put(sample);
  const [environment] = environmentKind.samples.filter(({ kind }) => kind === 'Environment');
  assert.ok(environment !== undefined);
  await new KindRunner(environmentKind, cluster).settle(keyOf(environment));
  const text = await plan('-f', ...SAMPLES);
  assert.deepEqual(text, { code: 0, stdout: 'No changes. Your cluster matches the configuration.\n', stderr: '' });
  const json = await plan('-f', ...SAMPLES, '-o', 'json');
  assert.deepEqual([json.code, json.stderr], [0, '']);
  assert.deepEqual(JSON.parse(json.stdout), {
    changes: [],
    held: [],
    outside: [],
    summary: { add: 0, change: 0, destroy: 0 },
  });
});

test('a quota that somebody changed is one to change, with its field before and after', async () => {
  await cluster.patch(RESOURCE_QUOTAS, QUOTA, { spec: { hard: { pods: '99' } } });
  const text = await plan('-f', ...SAMPLES);
  assert.deepEqual(
    [text.code, linesOf(text)],
    [
      2,
      [
        '~ ResourceQuota team-a-dev/compute',
        '    ~ spec.hard.pods: "99" -> "20"',
        'Plan: 0 to add, 1 to change, 0 to destroy.',
      ],
    ],
  );
  const json = await plan('-f', ...SAMPLES, '-o', 'json');
  assert.equal(json.code, 2);
  assert.deepEqual(JSON.parse(json.stdout), {
    changes: [
      {
        action: 'change',
        kind: 'ResourceQuota',
        ...QUOTA,
        fields: [{ path: 'spec.hard.pods', before: '99', after: '20' }],
      },
    ],
    held: [],
    outside: [],
    summary: { add: 0, change: 1, destroy: 0 },
  });
});

test('a plan for a cluster that does not answer ends with 1 and one sentence', async () => {
  const away = join(folder, 'away.kubeconfig');
  const { stdout } = await clusters.plane.kubectl(['config', 'view', '--raw', '-o', 'json']);
  await writeFile(away, stdout.replaceAll(clusters.plane.server, 'https://127.0.0.1:1'));
  const ended = await homeostat(['plan', `--kubeconfig=${away}`, '-f', ...SAMPLES], folder);
  assert.deepEqual([ended.code, ended.stdout], [1, '']);
  assert.match(ended.stderr, /^error: [^\n]*127\.0\.0\.1:1[^\n]*\n$/);
});
