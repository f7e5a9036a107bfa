import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadReview, decodeReview, encodeReview } from '../../../src/admission/review.ts';
import { allow } from '../../../src/admission/verdict.ts';
import { gadget, reviewBody } from './gadget.ts';

const refusedWith = (body: Uint8Array, problem: RegExp, uid: string): void => {
  assert.throws(
    () => decodeReview(body),
    (error) => {
      assert.ok(error instanceof BadReview);
      assert.match(error.message, problem);
      assert.equal(error.uid, uid);
      return true;
    },
  );
};

test('a create is read whole', () => {
  const review = decodeReview(
    reviewBody({
      dryRun: true,
      userInfo: { username: 'eve', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x'] } },
    }),
  );
  assert.equal(review.uid, 'u-1');
  assert.equal(review.operation, 'CREATE');
  assert.equal(review.dryRun, true);
  assert.deepEqual(review.user, { username: 'eve', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x'] } });
  assert.deepEqual(review.object, gadget());
  assert.equal(review.oldObject, undefined);
});

test('B-87 an object made by generateName has no name yet and takes its namespace from the request', () => {
  const object = { ...gadget(), metadata: { generateName: 'x-' } };
  const review = decodeReview(reviewBody({ name: '', object }));
  assert.equal(review.name, '');
  assert.equal(review.generateName, 'x-');
  assert.deepEqual(review.object?.metadata, { generateName: 'x-', name: '', namespace: 'team-a' });
});

test('B-89 a deletion has the old object alone', () => {
  const review = decodeReview(reviewBody({ operation: 'DELETE', object: null, oldObject: gadget() }));
  assert.equal(review.object, undefined);
  assert.equal(review.oldObject?.metadata.name, 'g');
});

test('B-89 a deletion without any object is read', () => {
  const review = decodeReview(reviewBody({ operation: 'DELETE', object: null }));
  assert.equal(review.oldObject, undefined);
});

test('B-89 CONNECT carries options, which are no object', () => {
  const review = decodeReview(reviewBody({ operation: 'CONNECT', object: { kind: 'PodExecOptions' } }));
  assert.equal(review.object, undefined);
});

test('a key called __proto__ is an ordinary key', () => {
  const text = reviewBody().toString().replace('"size":1', '"size":1,"__proto__":{"polluted":true}');
  const spec = (decodeReview(Buffer.from(text)).object as unknown as { spec: Record<string, unknown> }).spec;
  assert.deepEqual(Object.keys(spec), ['size', '__proto__']);
  assert.equal(Object.getPrototypeOf(spec), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

for (const [what, body, problem, uid] of [
  ['no JSON', Buffer.from('{"secret": tru'), /no JSON text/, ''],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), /no JSON text/, ''],
  ['a list', Buffer.from('[]'), /no JSON object/, ''],
  ['v1beta1', reviewBody({}, { apiVersion: 'admission.k8s.io/v1beta1' }), /must be admission\.k8s\.io\/v1/, 'u-1'],
  ['another kind', reviewBody({}, { kind: 'admissionreview' }), /must be admission\.k8s\.io\/v1/, 'u-1'],
  ['no request', reviewBody({}, { request: null }), /"request" is missing/, ''],
  ['no uid', reviewBody({ uid: '' }), /"request.uid" is missing/, ''],
  ['an unknown operation', reviewBody({ operation: 'PATCH' }), /"request.operation" is unknown/, 'u-1'],
  ['a create without object', reviewBody({ object: null }), /"request.object" is missing on CREATE/, 'u-1'],
  ['an update without old object', reviewBody({ operation: 'UPDATE' }), /"request.oldObject" is missing/, 'u-1'],
  ['an object without metadata', reviewBody({ object: { spec: {} } }), /no object with metadata/, 'u-1'],
  ['no resource', reviewBody({ resource: null }), /"request.resource" is missing/, 'u-1'],
] as const) {
  test(`${what} is refused, with the uid as far as it is known`, () => refusedWith(body, problem, uid));
}

test('the text of a broken body is not repeated', () => {
  assert.throws(
    () => decodeReview(Buffer.from('{"password":hunter2')),
    (error: Error) => !error.message.includes('hunter'),
  );
});

test('A11 permission without change has neither patch nor patchType', () => {
  assert.deepEqual(JSON.parse(encodeReview('u', allow())), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true },
  });
});

test('a patch travels as base64 with its type, whatever characters it has', () => {
  const patch = [{ op: 'add', path: '/metadata/labels/ü', value: '日本' }] as const;
  const { response } = JSON.parse(encodeReview('u', { ...allow(['w']), patch }));
  assert.equal(response.patchType, 'JSONPatch');
  assert.deepEqual(JSON.parse(Buffer.from(response.patch, 'base64').toString()), patch);
  assert.deepEqual(response.warnings, ['w']);
});
