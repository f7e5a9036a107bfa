import type { KubeObject, Manifest, OwnerReference } from '../../sdk/index.ts';
import { jobTemplate } from './job-template.ts';
import { cronJobName } from './names.ts';
import type { DatabaseBackup } from './schema.ts';

/** The CronJob of a backup. */
export function cronJobManifest(backup: DatabaseBackup, image: string, suspend: boolean): Manifest {
  const { spec } = backup;
  const { metadata } = backup;
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: cronJobName(backup),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ownerReferences: [ownerReference(backup)],
    },
    spec: {
      schedule: spec.schedule,
      timeZone: spec.timeZone,
      suspend,
      // One that waits or hangs is not joined by another.
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: spec.startingDeadlineSeconds,
      successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit,
      failedJobsHistoryLimit: spec.failedJobsHistoryLimit,
      jobTemplate: jobTemplate(backup, 'backup', image),
    },
  };
}

/** A reference by which the garbage collector takes what is left of an object that is gone; it holds nobody's deletion. */
export function ownerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}
