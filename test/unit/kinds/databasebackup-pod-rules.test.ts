import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KindHarness } from '../../support/kind-harness.ts';
import { BACKUPS, databaseBackup, SPEC } from './databasebackup-scene.ts';

const S3 = SPEC.storage.s3;

function judged(spec: object): readonly string[] {
  return new KindHarness().judge(BACKUPS, { type: 'create', after: databaseBackup(spec) });
}

const keyed = (key: string): object => ({
  storage: { s3: { ...S3, credentialsSecretRef: { name: 'backup-s3', accessKeyIdKey: key } } },
});

/** What core validation refuses in a Pod, one finding a row. */
const REFUSED: readonly (readonly [what: string, spec: object, says: RegExp])[] = [
  [
    'requests above limits',
    { resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } },
    /^spec\.resources\.requests\[memory\]: .*must not exceed the limit 1Gi/,
  ],
  [
    'an amount that is none',
    { resources: { limits: { memory: '1 GB' } } },
    /limits\[memory\]: .*quantities must match/,
  ],
  ['a negative amount', { resources: { requests: { cpu: '-1' } } }, /requests\[cpu\]: .*greater than or equal to 0/],
  ['a resource of quotas', { resources: { limits: { pods: 1 } } }, /must be a standard resource for containers/],
  ['a resource that is no name', { resources: { limits: { 'a b': 1 } } }, /limits\[a b\]: .*name part must consist/],
  ['a name made for quotas', { resources: { limits: { 'requests.x/gpu': 1 } } }, /extended resource name standard/],
  ['half a device', { resources: { limits: { 'example.org/gpu': '500m' } } }, /must be an integer/],
  [
    'a device without a limit',
    { resources: { requests: { 'example.org/gpu': 1 } } },
    /needs a limit of the same amount/,
  ],
  [
    'fewer devices than the limit',
    { resources: { requests: { 'example.org/gpu': 1 }, limits: { 'example.org/gpu': 2 } } },
    /must be equal to the limit 2/,
  ],
  ['huge pages alone', { resources: { limits: { 'hugepages-2Mi': '4Mi' } } }, /huge pages require cpu or memory/],
  [
    'part of a huge page',
    { resources: { limits: { cpu: 1, 'hugepages-2Mi': '3Mi' } } },
    /must be a multiple of the page size/,
  ],
  ['a key that is no label', { nodeSelector: { 'not a label': 'x' } }, /^spec\.nodeSelector: .*name part/],
  ['a value that is none', { nodeSelector: { disk: '-' } }, /^spec\.nodeSelector: .*valid label/],
  ['a taint that is no label', { tolerations: [{ key: 'a b', operator: 'Exists' }] }, /^spec\.tolerations\[0\]\.key: /],
  [
    'Exists with a value',
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
    /\[0\]\.value: .*must be empty/,
  ],
  ['a value that no taint has', { tolerations: [{ key: 'a', value: '-' }] }, /\[0\]\.value: .*valid label/],
  ['a value of any taint', { tolerations: [{ value: 'b' }] }, /\[0\]\.operator: .*must be Exists where key is empty/],
  [
    'seconds without NoExecute',
    { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoSchedule' }] },
    /\[0\]\.effect: .*must be NoExecute/,
  ],
  [
    'a sub path that leaves the volume',
    { storage: { persistentVolumeClaim: { claimName: 'c', subPath: 'x/../../y' } } },
    /^spec\.storage\.persistentVolumeClaim\.subPath: .*must not contain '\.\.'/,
  ],
  ['a key that is a folder', keyed('.'), /credentialsSecretRef\.accessKeyIdKey: /],
  ['a key that leaves its folder', keyed('..x'), /credentialsSecretRef\.accessKeyIdKey: /],
  ['an image with space before it', { image: ' postgres:17' }, /^spec\.image: .*whitespace/],
];

for (const [what, spec, says] of REFUSED) {
  test(`what would keep every Pod from starting is refused: ${what}`, () => {
    const found = judged(spec);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', says);
  });
}

test('what Pods may have passes', () => {
  const devices = { 'example.org/gpu': 1, 'hugepages-2Mi': '4Mi' };
  const accepted = {
    resources: {
      requests: { cpu: '0.0002', memory: '1Gi', 'ephemeral-storage': '10Gi', ...devices },
      limits: { cpu: '0.0001', memory: '1024Mi', ...devices },
    },
    nodeSelector: { 'kubernetes.io/os': 'linux', disk: '' },
    tolerations: [
      { operator: 'Exists' },
      { key: 'example.org/only', value: 'backups' },
      { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ],
    storage: { persistentVolumeClaim: { claimName: 'c', subPath: '..x/y..' } },
  };
  assert.deepEqual(judged(accepted), []);
});
