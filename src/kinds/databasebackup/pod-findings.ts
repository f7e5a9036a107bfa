import {
  type FieldPath,
  type Finding,
  forbidden,
  invalid,
  labelFindings,
  labelKeyFindings,
  labelValueFindings,
} from '../../sdk/index.ts';
import type { DatabaseBackup, DatabaseBackupSpec } from './schema.ts';

type Toleration = NonNullable<DatabaseBackupSpec['tolerations']>[number];

/** What is wrong with the labels of the Pods: they are no labels, or not a person's to set. */
export function* podLabelFindings({ spec }: DatabaseBackup): Generator<Finding> {
  const { podLabels = {} } = spec;
  yield* labelFindings(['spec', 'podLabels'], podLabels);
  for (const key of Object.keys(podLabels)) {
    const prefix = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
    if (prefix === 'homeostat.io')
      yield forbidden(['spec', 'podLabels', { key }], 'labels of homeostat.io are set by the controller');
    // The API server refuses every Job whose Pods have another value, so that no backup would ever start.
    else if (prefix === 'batch.kubernetes.io' || key === 'job-name' || key === 'controller-uid')
      yield forbidden(['spec', 'podLabels', { key }], 'is a label that Kubernetes sets on the Pods of a Job');
  }
}

/** What the API server would refuse about the nodes a Pod may go to (core validation, ValidatePodSpec and ValidateTolerations). */
export function* placementFindings({ spec }: DatabaseBackup): Generator<Finding> {
  yield* labelFindings(['spec', 'nodeSelector'], spec.nodeSelector ?? {});
  for (const [index, toleration] of (spec.tolerations ?? []).entries()) {
    yield* tolerationFindings(['spec', 'tolerations', index], toleration);
  }
}

function* tolerationFindings(path: FieldPath, toleration: Toleration): Generator<Finding> {
  const { key = '', operator = 'Equal', value = '', effect, tolerationSeconds } = toleration;
  if (key !== '') yield* labelKeyFindings([...path, 'key'], key);
  else if (operator !== 'Exists') yield invalid([...path, 'operator'], operator, 'must be Exists where key is empty');
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    yield invalid([...path, 'effect'], effect ?? '', 'must be NoExecute where tolerationSeconds is set');
  }
  if (operator === 'Equal') yield* labelValueFindings([...path, 'value'], value);
  else if (value !== '') yield invalid([...path, 'value'], value, 'must be empty where operator is Exists');
}

/**
 * What the API server would refuse in the containers: a path that leaves its volume, keys that lead out of their folder
 * (apimachinery IsConfigMapKey), an image with space around it, which it tells no earlier than with the Pod.
 */
export function* containerFindings({ spec }: DatabaseBackup): Generator<Finding> {
  const { s3, persistentVolumeClaim: claim } = spec.storage;
  if (claim?.subPath?.split('/').includes('..') === true) {
    yield invalid(['spec', 'storage', 'persistentVolumeClaim', 'subPath'], claim.subPath, "must not contain '..'");
  }
  const { accessKeyIdKey, secretAccessKeyKey } = s3?.credentialsSecretRef ?? {};
  for (const [member, key] of Object.entries({ accessKeyIdKey, secretAccessKeyKey })) {
    if (key !== '.' && key?.startsWith('..') !== true) continue;
    yield invalid(['spec', 'storage', 's3', 'credentialsSecretRef', member], key, "must not be '.' or begin with '..'");
  }
  if (spec.image !== undefined && spec.image.trim() !== spec.image) {
    yield invalid(['spec', 'image'], spec.image, 'must not have leading or trailing whitespace');
  }
}
