import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShardClient } from '../../../src/app/shard-client.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import { LeaseLost } from '../../../src/runtime/lease-guard.ts';
import { ScriptedClient } from '../../support/scripted-client.ts';

const { type } = environmentKind;
const key = { namespace: 'team-a', name: 'x' };
const options = { signal: new AbortController().signal };

class OneObject extends ScriptedClient {
  readonly #shard: string | undefined;

  constructor(shard: string | undefined) {
    super();
    this.#shard = shard;
  }

  override get(): Promise<Unstructured> {
    const metadata = { ...key, uid: 'u', resourceVersion: '1' };
    return Promise.resolve({
      apiVersion: 'homeostat.io/v1alpha1',
      kind: 'Environment',
      metadata,
      status: { shard: this.#shard },
    });
  }
}

function client(stored: string | undefined, began: string | undefined): ShardClient {
  return new ShardClient(new OneObject(stored), { isValid: () => true }, { type, key, shard: () => began });
}

test('a pass that reads its object anew and finds another shard on it ends', async () => {
  await assert.rejects(client('stage-int', 'common').get(type, key, options), LeaseLost);
  await assert.rejects(client(undefined, 'stage-dev').get(type, key, options), LeaseLost);
});

test('a pass whose object still names its shard reads on', async () => {
  await client('stage-dev', 'stage-dev').get(type, key, options);
  await client(undefined, 'common').get(type, key, options);
});

test('other objects are read whatever they say', async () => {
  await client('stage-int', 'common').get(type, { ...key, name: 'y' }, options);
  await client('stage-int', 'common').get(NAMESPACES, { name: 'x' }, options);
});
