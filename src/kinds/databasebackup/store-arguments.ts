import type { JsonObject } from '../../sdk/index.ts';
import { PATHS, verbatim } from './dump-command.ts';
import type { Task } from './names.ts';
import type { DatabaseBackup } from './schema.ts';

/** Arguments of `homeostat` in the container `store`. */
export function storeArguments(backup: DatabaseBackup, task: Task): readonly string[] {
  return words(backup, task).map(verbatim);
}

function words(backup: DatabaseBackup, task: Task): readonly string[] {
  const { spec } = backup;
  const place = [...storeAddress(backup), `--folder=${storeFolder(backup)}`, '--report=/dev/termination-log'];
  const retention = [`--retention-days=${spec.retentionDays}`, `--minimum-to-keep=${spec.minimumToKeep}`];
  switch (task) {
    case 'backup':
      return [
        'store',
        'upload',
        ...place,
        `--file=${PATHS.dump}`,
        `--started-file=${PATHS.started}`,
        `--engine=${spec.database.engine}`,
        `--database=${spec.database.name}`,
        ...retention,
        ...(spec.retentionMode === 'Bucket' ? ['--no-purge'] : []),
      ];
    case 'purge':
      return ['store', 'purge', ...place, ...retention];
    case 'cleanup':
      return ['store', 'purge', ...place, '--everything'];
  }
}

/** The folder that belongs to this very object: one made anew under its name never touches the backups of its predecessor. */
export function storeFolder({ metadata }: DatabaseBackup): string {
  return `${metadata.namespace ?? ''}/${metadata.name}/${metadata.uid.slice(0, 8)}`;
}

function storeAddress({ spec }: DatabaseBackup): readonly string[] {
  const { s3 } = spec.storage;
  if (s3 === undefined) return [`--store=file://${PATHS.volume}`];
  const { bucket, prefix, region, endpoint, forcePathStyle } = s3;
  return [
    `--store=s3://${bucket}${prefix === undefined ? '' : `/${prefix}`}`,
    `--region=${region}`,
    ...(endpoint === undefined ? [] : [`--endpoint=${endpoint}`]),
    ...(forcePathStyle === undefined ? [] : [forcePathStyle ? '--path-style' : '--no-path-style']),
  ];
}

/** Environment of that container: the credentials go from the Secret to the Pod, past this service. */
export function storeEnvironment({ spec }: DatabaseBackup): readonly JsonObject[] {
  const { s3 } = spec.storage;
  const fromSecret = (variable: string, name: string, key: string): JsonObject => ({
    name: variable,
    valueFrom: { secretKeyRef: { name, key } },
  });
  const credentials = s3?.credentialsSecretRef;
  return [
    {
      name: 'JOB_NAME',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-name']" } },
    },
    ...(credentials === undefined
      ? []
      : [
          fromSecret('AWS_ACCESS_KEY_ID', credentials.name, credentials.accessKeyIdKey),
          fromSecret('AWS_SECRET_ACCESS_KEY', credentials.name, credentials.secretAccessKeyKey),
        ]),
    ...(s3?.caSecretRef === undefined ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${PATHS.storeCa}/ca.crt` }]),
  ];
}
