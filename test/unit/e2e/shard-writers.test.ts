import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../controlplane/audit-log.ts';
import { judgeWriters } from '../../e2e/shard-writers.ts';

const USER = 'system:serviceaccount:homeostat-system:homeostat';

interface Write {
  readonly by: string;
  readonly atSeconds: number;
  readonly resource: string;
  readonly name: string;
  readonly namespace?: string;
  readonly shard?: string;
  readonly code?: number;
}

function entry({ by, atSeconds, resource, name, namespace = 'team-a', shard, code = 200 }: Write): AuditEntry {
  const user = { username: USER, extra: { 'authentication.kubernetes.io/credential-id': [by] } };
  return {
    verb: 'patch',
    requestURI: '/',
    user,
    objectRef: { resource, name, namespace },
    responseStatus: { code },
    responseObject: { metadata: { finalizers: ['x'] }, status: shard === undefined ? {} : { shard } },
    requestReceivedTimestamp: new Date(Date.UTC(2026, 0, 1) + atSeconds * 1000).toISOString().replace('Z', '000Z'),
  };
}

/** A person's edit that arrived before the hand-over and was stored after it. */
function lateEdit(): AuditEntry {
  const edit = entry({ by: '', atSeconds: 1.5, resource: 'environments', name: 'e', shard: 'stage-dev' });
  return { ...edit, user: { username: 'admin' } };
}

const lease = (by: string, name: string, atSeconds: number): AuditEntry =>
  entry({ by, atSeconds, resource: 'leases', name });
const judge = (...entries: readonly AuditEntry[]) => judgeWriters(entries, USER, (name) => `team-a-${name}`);

/** Process a has everything and hands e over to b. */
const HAND_OVER = [
  lease('a', 'homeostat', 0),
  lease('b', 'homeostat-stage-dev', 0),
  entry({ by: 'a', atSeconds: 1, resource: 'environments', name: 'e' }),
  entry({ by: 'a', atSeconds: 2, resource: 'resourcequotas', name: 'q', namespace: 'team-a-e' }),
  entry({ by: 'a', atSeconds: 3, resource: 'environments', name: 'e', shard: 'stage-dev' }),
  entry({ by: 'b', atSeconds: 4, resource: 'resourcequotas', name: 'q', namespace: 'team-a-e' }),
];

test('writes of each owner in its time are no violation, and the hand-over is counted', () => {
  assert.deepEqual(judge(...HAND_OVER), { judged: 4, handOvers: 1, writers: 2, violations: [] });
});

test('a write of the old owner after the hand-over is one, also of what belongs to the object', () => {
  const late = entry({ by: 'a', atSeconds: 5, resource: 'rolebindings', name: 'r', namespace: 'team-a-e' });
  assert.match(
    judge(...HAND_OVER, late).violations.join(),
    /a sends patch rolebindings\/r of e, whose homeostat-stage-dev is held by b/,
  );
});

test('a write of the new owner before the hand-over is one', () => {
  const early = entry({ by: 'b', atSeconds: 2.5, resource: 'resourcequotas', name: 'q', namespace: 'team-a-e' });
  assert.match(judge(...HAND_OVER, early).violations.join(), /b sends .* whose homeostat is held by a/);
});

test('a write under a Lease that has run out is one, and one that was refused is none', () => {
  const old = entry({ by: 'b', atSeconds: 20, resource: 'resourcequotas', name: 'q', namespace: 'team-a-e' });
  assert.equal(judge(...HAND_OVER, old).violations.length, 1);
  const refused = entry({
    by: 'a',
    atSeconds: 5,
    resource: 'resourcequotas',
    name: 'q',
    namespace: 'team-a-e',
    code: 409,
  });
  assert.equal(judge(...HAND_OVER, refused).violations.length, 0);
});

test('an edit of a person that waited for webhooks tells nothing about the shard when it arrived', () => {
  assert.deepEqual(judge(...HAND_OVER, lateEdit()).violations, []);
});
