import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { canonicalJson, isRecord } from '../../src/base/json.ts';
import { deploy } from './harness.ts';
import { anEnvironment, Scenario } from './scenario.ts';
import { WriteGate } from './write-gate.ts';

// Without election the next process need not wait for the lease of the killed one.
const deployment = await deploy({ flags: { 'leader-elect': 'false' } });
const the = new Scenario(deployment);
const gate = await WriteGate.open(deployment.plane, deployment.user, { after });
after(async () => {
  gate.close();
  await deployment.close();
});

/**
 * What the chain writes for an Environment that nothing disturbs; the two policies belong to one step and have no order. Two
 * steps without a write between them leave the same state behind: a process that dies at each of these writes has died between
 * any two steps.
 */
const CHAIN: readonly string[] = [
  'UPDATE environments team-a/whole',
  'UPDATE environments/status team-a/whole',
  'CREATE namespaces team-a-whole/team-a-whole',
  'CREATE resourcequotas team-a-whole/compute',
  'CREATE limitranges team-a-whole/defaults',
  'CREATE serviceaccounts team-a-whole/app',
  'CREATE rolebindings team-a-whole/devs',
  'CREATE networkpolicies team-a-whole/same',
  'CREATE networkpolicies team-a-whole/default-deny',
  'UPDATE environments/status team-a/whole',
];

/** The same for its deletion. */
const DELETION: readonly string[] = [
  'DELETE namespaces team-a-whole/team-a-whole',
  'UPDATE environments/status team-a/whole',
  'UPDATE environments team-a/whole',
];

const killed = (index: number): string => `killed-${index}`;

test('the chain and the deletion of an Environment do these writes and no others', async () => {
  await the.applySamples();
  await the.apply(anEnvironment('whole'), anEnvironment('gone'));
  await ready('whole');
  await ready('gone');
  assert.deepEqual(writesFor('whole').toSorted(), CHAIN.toSorted());
  await the.kubectl('delete', 'env', 'gone', '-n', 'team-a');
  assert.deepEqual(writesFor('gone').slice(CHAIN.length), DELETION);
});

test('killed at any write of the chain and started again, the service ends in the same state without duplicates', async (t) => {
  for (const [index, write] of CHAIN.entries()) {
    const name = killed(index);
    await killBefore(write, timesIn(CHAIN, index), name, async () => the.apply(anEnvironment(name)));
    await ready(name);
  }
  const whole = await stateOf('whole');
  for (const index of CHAIN.keys()) assert.deepEqual(await stateOf(killed(index)), whole);
  const created = await creations();
  assert.deepEqual(created, [...new Set(created)]);
  t.diagnostic(`${CHAIN.length} kills, one before each write`);
});

test('killed at any write of a deletion and started again, the service leaves nothing behind', async (t) => {
  for (const [index, write] of DELETION.entries()) {
    const name = killed(index);
    const target = ['env', name, '-n', 'team-a'];
    await killBefore(write, timesIn(DELETION, index), name, async () =>
      the.kubectl('delete', ...target, '--wait=false'),
    );
    await the.isGone(...target);
    await the.isGone('namespace', `team-a-${name}`);
  }
  t.diagnostic(`${DELETION.length} kills, one before each write`);
});

/**
 * Kills the service when it is about to do a write of CHAIN or DELETION for the named Environment, for the nth time since
 * `cause`. The API server stores nothing of that write. Starts the service again.
 */
async function killBefore(write: string, nth: number, name: string, cause: () => Promise<unknown>): Promise<void> {
  const held = gate.hold((arrived) => namedWhole(arrived, name) === write, nth);
  const [{ refuse }] = await Promise.all([held, cause()]);
  await deployment.replicas.at(-1)?.kill();
  refuse();
  await deployment.scaleUp();
}

/** How often the write at `index` has been done by then, itself included. */
function timesIn(writes: readonly string[], index: number): number {
  return writes.slice(0, index + 1).filter((write) => write === writes[index]).length;
}

/** What the service has created, each time it was told that it had. */
async function creations(): Promise<readonly string[]> {
  const entries = await deployment.plane.auditEntries({ user: deployment.user, verbs: ['create', 'patch'] });
  return entries
    .filter(({ objectRef, responseStatus }) => responseStatus?.code === 201 && !UNNAMED.has(objectRef?.resource ?? ''))
    .map(({ objectRef }) => `${objectRef?.resource} ${objectRef?.namespace}/${objectRef?.name}`);
}

/** Resources whose creations are questions or notes. */
const UNNAMED: ReadonlySet<string> = new Set(['events', 'subjectaccessreviews', 'tokenreviews']);

async function ready(name: string): Promise<void> {
  await the.kubectl('wait', 'env', name, '-n', 'team-a', '--for=condition=Ready', '--timeout=60s');
}

/** All writes for one Environment, as if its name were "whole". */
function writesFor(name: string): readonly string[] {
  const own = new RegExp(`[ /-]${name}(?:/|$)`);
  return gate.passed.filter((write) => own.test(write)).map((write) => namedWhole(write, name));
}

function namedWhole(text: string, name: string): string {
  return text.replaceAll(name, 'whole');
}

/** An Environment's status and its children, without what differs between two of them by nature. */
async function stateOf(name: string): Promise<readonly string[]> {
  const status = await the.kubectl('get', 'env', name, '-n', 'team-a', '-o', 'jsonpath={.status}');
  const children = await the.kubectl('get', CHILDREN, '-n', `team-a-${name}`, '-o', 'json');
  const namespace = await the.kubectl('get', 'namespace', `team-a-${name}`, '-o', 'json');
  // kubectl prints a v1 List.
  const { items } = JSON.parse(children) as { readonly items: readonly unknown[] };
  return [JSON.parse(status), JSON.parse(namespace), ...items.map(withoutStatus)].map((part) =>
    namedWhole(canonicalJson(comparable(part)), name),
  );
}

const CHILDREN = 'quota,limits,sa,role,rolebinding,netpol,secret';

const INCOMPARABLE = new Set([
  ...['uid', 'namespaceUID', 'homeostat.io/owner-uid', 'resourceVersion', 'managedFields'],
  ...['creationTimestamp', 'lastTransitionTime', 'reconcileHistory'],
]);

/** A child's status is the cluster's business, and late. */
function withoutStatus(child: unknown): unknown {
  return isRecord(child) ? { ...child, status: undefined } : child;
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !INCOMPARABLE.has(name) && member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, comparable(member)]));
}
