import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { requestCertificate } from '../../../src/certs/certificate-request.ts';
import { whyNotSigner } from '../../../src/certs/signing-request.ts';

test('no built-in signer is accepted, each for its own reason', () => {
  for (const [signer, reason] of [
    ['kubernetes.io/kube-apiserver-client', /client authentication only/],
    ['kubernetes.io/kube-apiserver-client-kubelet', /client certificates of kubelets/],
    ['kubernetes.io/kubelet-serving', /system:node:/],
    ['kubernetes.io/legacy-unknown', /does not accept/],
    ['kubernetes.io/anything', /belong to Kubernetes itself/],
  ] as const) {
    assert.match(whyNotSigner(signer) ?? '', reason, signer);
  }
});

test('a signer is a domain and a name', () => {
  assert.equal(whyNotSigner('example.com/webhook-serving'), undefined);
  for (const text of ['', 'example.com', 'example.com/', '/name', 'example.com/a/b', 'Example.com/a']) {
    assert.match(whyNotSigner(text) ?? '', /is no signer name/, text);
  }
});

test('a request is PKCS #10, signed by its own key, with the names as alternative names', async () => {
  const { request, key } = await requestCertificate(['homeostat-webhook.default.svc']);
  const text = execFileSync('openssl', ['req', '-verify', '-text', '-noout'], {
    input: request,
    stdio: 'pipe',
  }).toString();
  assert.match(text, /DNS:homeostat-webhook\.default\.svc/);
  assert.match(text, /Signature Algorithm: sha256WithRSAEncryption/);
  assert.match(key, /PRIVATE KEY/);
  assert.doesNotMatch(request, /PRIVATE KEY/);
});
