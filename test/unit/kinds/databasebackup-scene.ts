import assert from 'node:assert/strict';
import { toTimestamp } from '../../../src/base/clock.ts';
import { isRecord } from '../../../src/base/json.ts';
import type { Condition, Manifest, Unstructured } from '../../../src/base/object.ts';
import type { Outcome } from '../../../src/base/outcome.ts';
import { CRON_JOBS, JOBS, PODS } from '../../../src/kube/well-known.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { KindHarness, kindNamed } from '../../support/kind-harness.ts';

/** The kind under test. */
export const BACKUPS = kindNamed('DatabaseBackup');

const KEY = { namespace: 'team-a', name: 'orders' };
const CRON_JOB = { namespace: 'team-a', name: 'backup-orders' };

/** A spec that admission accepts without a word. */
export const SPEC = {
  schedule: '30 4 * * *',
  retentionDays: 14,
  database: { engine: 'postgres', host: 'orders-db', name: 'orders', credentialsSecretRef: { name: 'orders-db' } },
  storage: {
    s3: { bucket: 'backups', endpoint: 'https://s3.example.org', credentialsSecretRef: { name: 'backup-s3' } },
  },
};

/** The DatabaseBackup team-a/orders. */
export function databaseBackup(spec: object = {}, metadata: object = {}): Manifest {
  const created = { creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'DatabaseBackup',
    metadata: { ...KEY, ...created, ...metadata },
    spec: { ...SPEC, ...spec },
  };
}

/** What a Job's container tells at its end. */
export function reportText(purge: object = {}): string {
  return JSON.stringify({
    backup: { location: 's3://backups/x.dump', sizeBytes: 1234, sha256: 'ab', durationSeconds: 7 },
    purge: {
      reason: 'NothingExpired',
      message: 'ok',
      purged: 0,
      errors: 0,
      retentionDays: 14,
      kept: 2,
      oldest: '2026-01-01T00:00:00Z',
      ...purge,
    },
  });
}

/** A DatabaseBackup over an API in memory; the tests play the CronJob's and the Jobs' controllers. */
export class BackupScene extends KindHarness {
  constructor(spec: object = {}, metadata: object = {}) {
    super();
    this.store(databaseBackup(spec, metadata));
  }

  async passes(count = 3): Promise<Outcome> {
    let outcome: Outcome | undefined;
    for (let pass = 0; pass < count; pass++) outcome = await this.pass(BACKUPS, KEY);
    return outcome ?? assert.fail();
  }

  get backup(): Unstructured {
    return this.api.peek(BACKUPS.type, KEY) ?? assert.fail('The DatabaseBackup is gone');
  }

  get isGone(): boolean {
    return this.api.peek(BACKUPS.type, KEY) === undefined;
  }

  get cronJob(): Unstructured {
    return this.api.peek(CRON_JOBS, CRON_JOB) ?? assert.fail('There is no CronJob');
  }

  status(member: string): unknown {
    const { status } = this.backup;
    return isRecord(status) ? status[member] : undefined;
  }

  word(type: string): string {
    const found = this.conditionOf(type);
    return found === undefined ? 'absent' : `${found.status}/${found.reason}`;
  }

  conditionOf(type: string): Condition | undefined {
    return conditionsOf(this.backup).find((one) => one.type === type);
  }

  edit(change: object): void {
    this.editSpec(databaseBackup(), (spec) => ({ ...spec, ...change }));
    this.api.edit(BACKUPS.type, KEY, (object) => object);
  }

  jobs(): readonly string[] {
    return this.api.all(JOBS).map(({ metadata }) => metadata.name);
  }

  /** A Job as the CronJob's controller makes it. */
  startJob(name: string, pod: object = {}): void {
    const template = this.#template();
    const labels = { ...template };
    this.api.seed(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'team-a', name, labels },
      status: { active: 1 },
    });
    this.startPod(name, pod);
  }

  startPod(job: string, status: object = {}): void {
    const labels = { ...this.#template(), 'batch.kubernetes.io/job-name': job };
    this.api.seed(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team-a', name: `${job}-x`, labels },
      status,
    });
  }

  /** Ends a Job; without a message its Pod is gone. */
  endJob(name: string, ended: { readonly failed?: string; readonly message?: string } = {}): void {
    const at = toTimestamp(this.clock.now());
    const { failed, message } = ended;
    const condition =
      failed === undefined
        ? { type: 'Complete', status: 'True', lastTransitionTime: at }
        : { type: 'Failed', status: 'True', reason: failed, message: 'Job has failed', lastTransitionTime: at };
    const completion = failed === undefined ? { completionTime: at } : {};
    this.api.edit(JOBS, { namespace: 'team-a', name }, (job) => ({
      ...job,
      status: { conditions: [condition], ...completion },
    }));
    const pod = { namespace: 'team-a', name: `${name}-x` };
    if (this.api.peek(PODS, pod) === undefined) return;
    if (message === undefined) this.api.remove(PODS, pod);
    else {
      const status = {
        containerStatuses: [
          { name: 'store', state: { terminated: { exitCode: failed === undefined ? 0 : 1, message } } },
        ],
      };
      this.api.edit(PODS, pod, (object) => ({ ...object, status }));
    }
  }

  /** A backup from its beginning to its end, as seen between. */
  async run(
    name: string,
    ended: { readonly failed?: string; readonly message?: string } = { message: reportText() },
  ): Promise<void> {
    this.startJob(name);
    await this.passes(1);
    this.endJob(name, ended);
    await this.passes(1);
  }

  #template(): Readonly<Record<string, string>> {
    const { metadata } = this.backup;
    return {
      'homeostat.io/backup-uid': metadata.uid,
      'homeostat.io/backup-name': metadata.name,
      'homeostat.io/backup-task': 'backup',
    };
  }
}

/** Arguments of the container of a Job. */
export function argumentsOf(job: Unstructured | undefined): readonly string[] {
  const spec = job?.['spec'];
  const template = isRecord(spec) && isRecord(spec['template']) ? spec['template'] : {};
  const pod = template['spec'] as { containers: readonly { args: readonly string[] }[] };
  return pod.containers[0]?.args ?? [];
}

/** A scene whose first backup has applied 14 days. */
export async function applied(spec: object = {}): Promise<BackupScene> {
  const scene = new BackupScene(spec);
  await scene.run('backup-orders-1');
  await scene.passes();
  scene.takeWrites();
  return scene;
}
