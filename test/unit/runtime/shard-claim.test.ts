import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShardDeclaration } from '../../../src/runtime/shard.ts';
import { type Claim, type ClaimInput, decideClaim, type LeaseStanding } from '../../../src/runtime/shard-claim.ts';

const ALL: ShardDeclaration = { type: 'all' };
const DEV: ShardDeclaration = { type: 'stage', stage: 'dev' };
const REST: ShardDeclaration = { type: 'rest', except: ['dev', 'int'] };

interface Row {
  readonly fact: string;
  readonly declaration: ShardDeclaration;
  readonly stage?: string;
  readonly shard?: string;
  readonly untouched?: boolean;
  readonly held: readonly string[];
  readonly foreign?: readonly string[];
  readonly claim: Claim;
}

const rows: readonly Row[] = [
  {
    fact: 'an object without stage and shard is worked on under the common Lease',
    declaration: REST,
    held: ['common'],
    claim: { type: 'work', under: ['common'] },
  },
  {
    fact: 'an unknown stage is the common instance’s',
    declaration: REST,
    stage: 'prod',
    held: ['common'],
    claim: { type: 'work', under: ['common'] },
  },
  {
    fact: 'nothing is worked on while the own Lease is not held',
    declaration: REST,
    held: [],
    claim: { type: 'wait', shards: ['common'] },
  },
  {
    fact: 'the common instance hands an object of a stage to it',
    declaration: REST,
    stage: 'dev',
    held: ['common'],
    claim: { type: 'hand', shard: 'stage-dev' },
  },
  {
    fact: 'what is to be handed on waits for the own Lease that has just run out',
    declaration: REST,
    stage: 'dev',
    held: [],
    claim: { type: 'wait', shards: ['common'] },
  },
  {
    fact: 'what was handed on is left',
    declaration: REST,
    stage: 'dev',
    shard: 'stage-dev',
    held: ['common'],
    claim: { type: 'leave' },
  },
  {
    fact: 'a new stage waits for the instance that has the object, and asks for its Lease',
    declaration: DEV,
    stage: 'dev',
    shard: 'stage-int',
    held: ['stage-dev'],
    claim: { type: 'wait', shards: ['stage-int'] },
  },
  {
    fact: 'the Lease of an instance that is gone lets its objects be taken',
    declaration: DEV,
    stage: 'dev',
    shard: 'stage-int',
    held: ['stage-dev', 'stage-int'],
    claim: { type: 'take', shard: 'stage-dev' },
  },
  {
    fact: 'an object that nobody has touched is taken at once',
    declaration: DEV,
    stage: 'dev',
    untouched: true,
    held: ['stage-dev'],
    claim: { type: 'take', shard: 'stage-dev' },
  },
  {
    fact: 'an object that somebody may be working on is not',
    declaration: DEV,
    stage: 'dev',
    held: ['stage-dev'],
    claim: { type: 'wait', shards: ['common'] },
  },
  {
    fact: 'an untouched object that names another shard is not taken at once',
    declaration: DEV,
    stage: 'dev',
    shard: 'stage-int',
    untouched: true,
    held: ['stage-dev'],
    claim: { type: 'wait', shards: ['stage-int'] },
  },
  {
    fact: 'an edited stage is handed to the next one',
    declaration: DEV,
    stage: 'int',
    shard: 'stage-dev',
    held: ['stage-dev'],
    claim: { type: 'hand', shard: 'stage-int' },
  },
  {
    fact: 'an object that lost its stage goes back to the common instance',
    declaration: DEV,
    shard: 'stage-dev',
    held: ['stage-dev'],
    claim: { type: 'hand', shard: 'common' },
  },
  {
    fact: 'whoever reconciles everything needs the Lease of the stage as well',
    declaration: ALL,
    stage: 'dev',
    held: ['common'],
    claim: { type: 'wait', shards: ['stage-dev'] },
  },
  {
    fact: 'it works on a stage under both Leases',
    declaration: ALL,
    stage: 'dev',
    held: ['common', 'stage-dev'],
    claim: { type: 'work', under: ['common', 'stage-dev'] },
  },
  {
    fact: 'it keeps the name of a stage’s shard whose Lease it holds',
    declaration: ALL,
    stage: 'dev',
    shard: 'stage-dev',
    held: ['common', 'stage-dev'],
    claim: { type: 'work', under: ['common', 'stage-dev'] },
  },
  {
    fact: 'it hands the objects of a stage that has an instance to it',
    declaration: ALL,
    stage: 'dev',
    held: ['common'],
    foreign: ['stage-dev'],
    claim: { type: 'hand', shard: 'stage-dev' },
  },
  {
    fact: 'it takes back what a part left behind',
    declaration: ALL,
    shard: 'shard-1-of-3',
    held: ['common', 'shard-1-of-3'],
    claim: { type: 'take', shard: 'common' },
  },
];

for (const { fact, held, foreign = [], ...given } of rows) {
  test(fact, () => {
    const standing = (name: string): LeaseStanding => {
      if (held.includes(name)) return 'held';
      return foreign.includes(name) ? 'foreign' : 'open';
    };
    const { claim, ...rest } = given;
    const input: ClaimInput = {
      key: { namespace: 'team-a', name: 'x' },
      stage: undefined,
      shard: 'common',
      untouched: false,
      standing,
      ...rest,
    };
    assert.deepEqual(decideClaim(input), claim);
  });
}
