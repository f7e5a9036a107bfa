import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import type { AuditEntry } from '../controlplane/audit-log.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import type { Subject } from './subjects.ts';
import { benchNamespace, countReady, createEnvironments } from './workload.ts';

/** One subject on a control plane of its own; the Environments exist, the operator does not run yet. */
export interface OperateScene {
  readonly plane: ControlPlane;
  readonly group: OwnedProcesses;
  readonly subject: Subject;
  /** The operator's user, as the audit log spells it. */
  readonly user: string;
}

/** How long what was asked for may take. */
export const SETTLE_LIMIT_MS = 120_000;

const CONVERGE_LIMIT_MS = 900_000;

/** Sets a scene with `count` Environments of one spec, and clears it away after the work. */
export async function onScene(
  subject: Subject,
  { count, spec }: { readonly count: number; readonly spec: object },
  work: (scene: OperateScene) => Promise<void>,
): Promise<void> {
  const plane = await startControlPlane();
  const group = await OwnedProcesses.open('homeostat-bench');
  try {
    await plane.kubectl(['apply', '--server-side', '-k', join(projectFolder, 'manifests', 'crd')]);
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
    await plane.kubectl(['create', 'namespace', benchNamespace]);
    await subject.install(plane);
    await createEnvironments(plane, count, spec);
    await work({ plane, group, subject, user: `system:serviceaccount:${benchNamespace}:${subject.account}` });
  } catch (cause) {
    throw new Error(`The bench of ${subject.name} failed.\n${await group.logs()}`, { cause });
  } finally {
    await group.close();
    await group.removeFolder();
    await plane.close();
  }
}

/** Starts the operator and waits until every Environment is Ready. */
export async function startConverged(
  { plane, group, subject }: OperateScene,
  count: number,
): Promise<{ readonly pid: number }> {
  const { program, args, env } = await subject.command(plane);
  const operator = await group.start(subject.name, program, args, { env });
  await eventually('all Environments to be Ready', async () => (await countReady(plane)) >= count, {
    timeoutMs: CONVERGE_LIMIT_MS,
    intervalMs: 1000,
  });
  return operator;
}

/** A child of an Environment. */
export interface Quota {
  readonly namespace: string;
  readonly name: string;
  readonly pods: string;
}

/** The ResourceQuotas of all Environments. */
export async function listQuotas(plane: ControlPlane): Promise<readonly Quota[]> {
  const { body } = await plane.request('GET', '/api/v1/resourcequotas?resourceVersion=0');
  // A list of ResourceQuotas.
  const { items } = body as {
    readonly items: readonly {
      readonly metadata: { readonly namespace: string; readonly name: string };
      readonly spec?: { readonly hard?: Readonly<Record<string, string>> };
    }[];
  };
  return items.map(({ metadata: { namespace, name }, spec }) => ({
    namespace,
    name,
    pods: spec?.hard?.['pods'] ?? '',
  }));
}

/** Whether an entry is a write by this user that was carried out, Leases and Events apart. */
export function isWriteOf(user: string): (entry: AuditEntry) => boolean {
  return ({ verb, user: by, objectRef, responseStatus }) =>
    by.username === user &&
    ['create', 'update', 'patch'].includes(verb) &&
    !['leases', 'events'].includes(objectRef?.resource ?? '') &&
    (responseStatus?.code ?? 500) < 300;
}
