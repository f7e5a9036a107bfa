import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { projectFolder } from '../architecture/project.ts';
import { eventually } from '../support/eventually.ts';
import { serviceEntry, type Replica } from './harness-replica.ts';
import { deploy } from './harness.ts';
import { anEnvironment, Scenario } from './scenario.ts';
import { judgeWriters } from './shard-writers.ts';
import { UserLoad } from './user-load.ts';

const deployment = await deploy({ replicas: 2, flags: { 'shutdown-delay': '5s', 'log-level': 'debug' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const STAGES = ['dev', 'int', 'prod'] as const;
const NAMES = Array.from({ length: 12 }, (_, index) => `s${index}`);
const instances: Replica[] = [];
let load: UserLoad;
let editing: Promise<void> = Promise.resolve();
let edits = 0;
const failedEdits: string[] = [];
const stopEditing = new AbortController();

function stageOf(index: number): string {
  return STAGES[index % STAGES.length] ?? 'dev';
}

/** Edits one Environment after the other, as users do all day: another quota, and now and then another stage. */
async function edit(): Promise<void> {
  while (!stopEditing.signal.aborted) {
    const name = NAMES[edits % NAMES.length] ?? '';
    const stage = edits % 5 === 4 ? { stage: stageOf(edits) } : {};
    const pods = String((edits % 40) + 1);
    const body = { spec: { ...stage, resourceQuotas: [{ name: 'compute', hard: { pods } }] } };
    const path = `/apis/homeostat.io/v1alpha1/namespaces/team-a/environments/${name}`;
    const { code, body: answer } = await plane.request('PATCH', path, body, 'application/merge-patch+json');
    if (code !== 200) failedEdits.push(`${name}: ${code} ${JSON.stringify(answer)}`);
    edits += 1;
    await delay(150);
  }
}

async function environments(): Promise<readonly EnvironmentObject[]> {
  // What kubectl prints of our own kind.
  const list = JSON.parse(await the.kubectl('get', 'env', '-n', 'team-a', '-o', 'json')) as {
    items: EnvironmentObject[];
  };
  return list.items;
}

interface EnvironmentObject {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly stage: string };
  readonly status?: {
    readonly shard?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly observedGeneration: number;
    }[];
  };
}

function isSettled({ metadata, status }: EnvironmentObject): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

/** Waits until every Environment is Ready as its spec is now, and of the shard it should be. */
async function settled(what: string, shardOf: (stage: string) => string | undefined): Promise<void> {
  let open: readonly string[] = [];
  await eventually(
    what,
    async () => {
      open = (await environments())
        .filter((one) => !isSettled(one) || one.status?.shard !== shardOf(one.spec.stage))
        .map((one) => `${one.metadata.name} ${one.spec.stage} ${JSON.stringify(one.status)}`);
      return open.length === 0;
    },
    { timeoutMs: 120_000, intervalMs: 500, details: () => open.join('\n') },
  );
}

async function holder(lease: string): Promise<string> {
  return the.value(
    '{.spec.holderIdentity}',
    '-n',
    deployment.manifests.namespace,
    'lease',
    lease,
    '--ignore-not-found',
  );
}

async function holds(lease: string, prefix: string): Promise<void> {
  let last = '';
  const is = async (): Promise<boolean> => (last = await holder(lease)).startsWith(prefix);
  await eventually(`${lease} to be held by ${prefix}`, is, { timeoutMs: 60_000, details: () => `It was ${last}` });
}

function sharded(stage: string): string | undefined {
  return stage === 'prod' ? undefined : `stage-${stage}`;
}

async function verifyShards(): Promise<{ readonly code: number; readonly report: ShardsReport }> {
  const args = [serviceEntry(projectFolder), 'shards', 'verify', '-o', 'json', '--kubeconfig', plane.kubeconfig];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      if (code > 1) reject(new Error(stderr));
      // What the command prints.
      else resolve({ code, report: JSON.parse(stdout) as ShardsReport });
    });
  });
}

interface ShardsReport {
  readonly owned: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly type: string; readonly object?: string; readonly message: string }[];
}

test('an unsharded service holds the common Lease, and that of each stage it works on', async () => {
  await the.applySamples();
  await the.kubectl('label', 'namespace', 'default', 'tier=team');
  for (const [index, name] of NAMES.entries()) await the.apply(anEnvironment(name, { stage: stageOf(index) }));
  await settled('all to be Ready', () => undefined);
  const leader = await holder('homeostat');
  assert.match(leader, /^homeostat-\d/);
  for (const stage of STAGES) assert.equal(await holder(`homeostat-stage-${stage}`), `homeostat/${leader}`);
  const { code, report } = await verifyShards();
  assert.equal(code, 0, JSON.stringify(report.findings));
  load = UserLoad.start(plane, 10);
  editing = edit();
});

test('it becomes a common instance and one for each of two stages under load', async () => {
  const before = deployment.replicas.slice();
  instances.push(...(await Promise.all(['dev', 'int'].map((stage) => deployment.startInstance({ stage })))));
  instances.push(await deployment.startInstance({ 'stage-not': 'dev,int' }));
  for (const replica of before) assert.equal(await replica.stop(), 0);
  const [dev, int, common] = instances;
  await holds('homeostat', `${common?.name}_`);
  await holds('homeostat-stage-dev', `${dev?.name}_`);
  await holds('homeostat-stage-int', `${int?.name}_`);
  for (const replica of [dev, int])
    await assert.rejects(once(connect(replica?.port ?? 0, '127.0.0.1'), 'connect'), /ECONNREFUSED/);
  await delay(5000);
});

test('every object has one owner while stages are edited, and a gap, an overlap or another version is told', async () => {
  stopEditing.abort();
  await editing;
  await settled('all to be Ready, each of its stage’s shard', sharded);
  assert.equal((await verifyShards()).code, 0);
  const [, int, common] = instances;
  assert.equal(await int?.stop(), 0);
  const gap = await verifyShards();
  assert.equal(gap.code, 1);
  assert.match(
    gap.report.findings[0]?.message ?? '',
    /of stage "int" has no owner: nobody holds the Lease homeostat-stage-int/,
  );
  instances[1] = await deployment.startInstance({ stage: 'int' });
  await holds('homeostat-stage-int', `${instances[1].name}_`);
  const wrong = await deployment.startInstance({ 'stage-not': 'dev' });
  assert.equal(await common?.stop(), 0);
  await holds('homeostat', `${wrong.name}_`);
  const overlap = await verifyShards();
  assert.equal(overlap.code, 1);
  assert.match(overlap.report.findings[0]?.message ?? '', /of stage "int" has 2 owners: --stage-not=dev .*--stage=int/);
  instances[2] = await deployment.startInstance({ 'stage-not': 'dev,int' });
  assert.equal(await wrong.stop(), 0);
  await holds('homeostat', `${instances[2].name}_`);
  await plantVersion();
});

/** A Lease as an instance of another version would have it. */
async function plantVersion(): Promise<void> {
  const { namespace } = deployment.manifests;
  const now = new Date().toISOString().replace('Z', '000Z');
  const annotations = { 'homeostat.io/shard': '--stage=other', 'homeostat.io/version': '9.9.9' };
  await the.apply({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'homeostat-stage-other', namespace, annotations },
    spec: { holderIdentity: 'other_1', leaseDurationSeconds: 3600, renewTime: now, acquireTime: now },
  });
  const { code, report } = await verifyShards();
  assert.equal(code, 1);
  assert.deepEqual(
    report.findings.map(({ type }) => type),
    ['version'],
  );
  assert.match(report.findings[0]?.message ?? '', /9\.9\.9 \(Lease homeostat-stage-other\)/);
  await the.kubectl('delete', 'lease', 'homeostat-stage-other', '-n', namespace);
}

test('a stage edit hands an object over, and its children get the label', async () => {
  await the.kubectl('patch', 'env', 's0', '-n', 'team-a', '--type=merge', '-p', '{"spec":{"stage":"int"}}');
  await settled('all to be Ready', sharded);
  assert.equal(await the.value('{.metadata.labels.homeostat\\.io/stage}', 'namespace', 'team-a-s0'), 'int');
});

test('the service becomes one again under load, and no user request fails', async () => {
  const lone = await deployment.scaleUp();
  for (const instance of instances) assert.equal(await instance.stop(), 0);
  await holds('homeostat', `${lone.name}_`);
  for (const [index, name] of NAMES.entries()) {
    const body = { spec: { stage: stageOf(index + 1), resourceQuotas: [{ name: 'compute', hard: { pods: '7' } }] } };
    await the.kubectl('patch', 'env', name, '-n', 'team-a', '--type=merge', '-p', JSON.stringify(body));
  }
  let open: readonly string[] = [];
  const all = async (): Promise<boolean> => {
    open = (await environments())
      .filter((one) => !isSettled(one))
      .map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status)}`);
    return open.length === 0;
  };
  await eventually('all to be Ready', all, { timeoutMs: 90_000, intervalMs: 500, details: () => open.join('\n') });
  await load.stop();
  assert.deepEqual([...load.failures, ...failedEdits].slice(0, 5), []);
  process.stdout.write(`${load.answered} user requests and ${edits} edits, none failed\n`);
});

test('no object ever had two owners', async () => {
  const report = judgeWriters(await plane.auditEntries(), deployment.user, (name) => `team-a-${name}`);
  process.stdout.write(`${report.judged} writes by ${report.writers} processes, ${report.handOvers} hand-overs\n`);
  assert.deepEqual(report.violations.slice(0, 5), []);
  assert.ok(report.judged > 100 && report.writers >= 4 && report.handOvers > 12, JSON.stringify(report));
});

test('an object made while the hooks were away is reconciled by the common instance, which repairs its label', async () => {
  const lone = deployment.replicas.find(({ process: owned }) => owned.isRunning());
  const common = await deployment.startInstance({ 'stage-not': 'dev,int' });
  const dev = await deployment.startInstance({ stage: 'dev' });
  assert.equal(await lone?.stop(), 0);
  await holds('homeostat', `${common.name}_`);
  await holds('homeostat-stage-dev', `${dev.name}_`);
  for (const { kind, name } of deployment.manifests.webhookConfigurations) await the.kubectl('delete', kind, name);
  await the.apply(anEnvironment('bare', { stage: 'dev' }));
  await the.becomes('stage-dev', '{.status.shard}', ['env', 'bare', '-n', 'team-a'], 60_000);
  await the.becomes('dev', '{.metadata.labels.homeostat\\.io/stage}', ['env', 'bare', '-n', 'team-a']);
  await the.kubectl('wait', 'env', 'bare', '-n', 'team-a', '--for=condition=Ready', '--timeout=60s');
});
