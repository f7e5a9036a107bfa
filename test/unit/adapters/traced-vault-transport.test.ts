import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracedVaultTransport } from '../../../src/adapters/vault/traced-vault-transport.ts';
import type { VaultRequest, VaultTransport } from '../../../src/adapters/vault/vault-transport.ts';
import { SILENT_TRACER } from '../../../src/base/tracer.ts';
import { loadedTracer } from '../../../src/telemetry/tracer.ts';
import { recordSpans } from '../../support/recorded-spans.ts';

const spans = recordSpans();
const tracer = loadedTracer('1.0.0');

const sent: VaultRequest[] = [];
const transport: VaultTransport = {
  send: (request) => {
    sent.push(request);
    return Promise.resolve({ status: 403, headers: {}, body: '' });
  },
  vouchesFor: () => true,
  close: () => Promise.resolve(),
};

test('a request to Vault is a span of the reconcile, without query, body, token or a word to Vault', async () => {
  const request: VaultRequest = {
    method: 'POST',
    path: '/v1/auth/kubernetes/login?list=true',
    headers: { 'x-vault-token': 'planted' },
    body: 'planted',
    signal: new AbortController().signal,
  };
  const traced = tracedVaultTransport(transport, tracer);
  await tracer.unit({ name: 'reconcile', kind: 'internal' }, () => traced.send(request));
  assert.deepEqual(spans.tree, ['reconcile', '  POST vault !']);
  assert.deepEqual(spans.named('POST vault').attributes, {
    'http.request.method': 'POST',
    'url.path': '/v1/auth/kubernetes/login',
    'http.response.status_code': 403,
    'error.type': '403',
  });
  assert.deepEqual(sent, [request]);
});

test('without an SDK the transport stays as it is', () => {
  assert.equal(tracedVaultTransport(transport, SILENT_TRACER), transport);
});
