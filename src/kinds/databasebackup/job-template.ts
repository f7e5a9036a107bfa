import type { JsonObject, StringMap } from '../../sdk/index.ts';
import { quantityTexts } from '../tenancy/quantity-schema.ts';
import { dumpCommand, dumpEnvironment, ENGINE_IMAGES, PATHS } from './dump-command.ts';
import { type Task, taskLabels } from './names.ts';
import type { DatabaseBackup } from './schema.ts';
import { storeArguments, storeEnvironment } from './store-arguments.ts';

/** Nobody's identity that both images can run as; files of a volume belong to its group. */
const USER = 65_532;

/** A Job that is to run this task. `image` is that of this service. */
export function jobTemplate(
  backup: DatabaseBackup,
  task: Task,
  image: string,
): { readonly metadata: { readonly labels: StringMap }; readonly spec: JsonObject } {
  const { spec } = backup;
  const labels = taskLabels(backup, task);
  return {
    metadata: { labels },
    spec: {
      backoffLimit: spec.backoffLimit,
      // A Pod that no node takes would otherwise hold back every later backup.
      activeDeadlineSeconds: spec.activeDeadlineSeconds,
      template: { metadata: { labels: { ...spec.podLabels, ...labels } }, spec: podSpec(backup, task, image) },
    },
  };
}

function podSpec(backup: DatabaseBackup, task: Task, image: string): JsonObject {
  const { spec } = backup;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // Left out, it would come back from its deprecated alias `serviceAccount`, which the API server keeps beside it.
    serviceAccountName: spec.serviceAccountName ?? 'default',
    // An empty one says nothing; left out, what an earlier one held is taken away.
    ...(Object.keys(spec.nodeSelector ?? {}).length === 0 ? {} : { nodeSelector: spec.nodeSelector ?? {} }),
    ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(task === 'backup' ? { initContainers: [dumpContainer(backup)] } : {}),
    containers: [storeContainer(backup, task, image)],
    volumes: volumes(backup, task),
  };
}

function common({ spec }: DatabaseBackup): JsonObject {
  const { resources = {} } = spec;
  const quantities = Object.entries(resources).map(([name, amounts]) => [name, quantityTexts(amounts)] as const);
  return {
    terminationMessagePath: '/dev/termination-log',
    // What a failed container wrote last is told in the status.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ...(quantities.length === 0 ? {} : { resources: Object.fromEntries(quantities) }),
  };
}

function dumpContainer(backup: DatabaseBackup): JsonObject {
  const { database, image } = backup.spec;
  return {
    name: 'dump',
    image: image ?? ENGINE_IMAGES[database.engine],
    command: dumpCommand(database),
    env: dumpEnvironment(database),
    volumeMounts: [
      { name: 'work', mountPath: PATHS.work },
      { name: 'private', mountPath: PATHS.private },
      { name: 'credentials', mountPath: PATHS.credentials, readOnly: true },
      ...(database.caSecretRef === undefined
        ? []
        : [{ name: 'database-ca', mountPath: PATHS.databaseCa, readOnly: true }]),
    ],
    ...common(backup),
  };
}

function storeContainer(backup: DatabaseBackup, task: Task, image: string): JsonObject {
  const { s3, persistentVolumeClaim: claim } = backup.spec.storage;
  return {
    name: 'store',
    image,
    args: storeArguments(backup, task),
    env: storeEnvironment(backup),
    volumeMounts: [
      ...(task === 'backup' ? [{ name: 'work', mountPath: PATHS.work }] : []),
      ...(s3?.caSecretRef === undefined ? [] : [{ name: 'store-ca', mountPath: PATHS.storeCa, readOnly: true }]),
      ...(claim === undefined
        ? []
        : [
            {
              name: 'volume',
              mountPath: PATHS.volume,
              ...(claim.subPath === undefined ? {} : { subPath: claim.subPath }),
            },
          ]),
    ],
    ...common(backup),
  };
}

function volumes({ spec }: DatabaseBackup, task: Task): readonly JsonObject[] {
  const { database, storage } = spec;
  const { credentialsSecretRef: credentials, caSecretRef } = database;
  const { s3, persistentVolumeClaim: claim } = storage;
  const secret = (
    name: string,
    secretName: string,
    items: readonly (readonly [key: string, path: string])[],
  ): JsonObject => ({
    name,
    secret: { secretName, defaultMode: 288, items: items.map(([key, path]) => ({ key, path })) },
  });
  const dump = [
    { name: 'work', emptyDir: {} },
    // In memory: the password is written into it in the form the program wants.
    { name: 'private', emptyDir: { medium: 'Memory' } },
    secret('credentials', credentials.name, [
      [credentials.usernameKey, 'username'],
      [credentials.passwordKey, 'password'],
    ]),
    ...(caSecretRef === undefined ? [] : [secret('database-ca', caSecretRef.name, [[caSecretRef.key, 'ca.crt']])]),
  ];
  return [
    ...(task === 'backup' ? dump : []),
    ...(s3?.caSecretRef === undefined
      ? []
      : [secret('store-ca', s3.caSecretRef.name, [[s3.caSecretRef.key, 'ca.crt']])]),
    ...(claim === undefined ? [] : [{ name: 'volume', persistentVolumeClaim: { claimName: claim.claimName } }]),
  ];
}
