import { callApi } from '../controlplane/api-access.ts';
import type { OwnedProcesses } from '../controlplane/owned-processes.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { type LoadReport, sendLoad } from './load.ts';
import { processUsage } from './process-usage.ts';
import type { Subject } from './subjects.ts';
import { benchNamespace, environmentSpec } from './workload.ts';

/** One measurement. */
export interface AdmissionResult extends LoadReport {
  readonly subject: string;
  readonly case: string;
  readonly rate: number;
  readonly bodyKb: number;
  readonly cpuMsPerReview: number;
  readonly residentMb: number;
}

/** One subject on a control plane of its own. */
export interface AdmissionRun {
  readonly plane: ControlPlane;
  readonly group: OwnedProcesses;
  readonly subject: Subject;
  readonly seconds: number;
  readonly report: (result: AdmissionResult) => void;
}

/** A subject that answers. */
interface Running {
  readonly process: Awaited<ReturnType<OwnedProcesses['start']>>;
  readonly url: string;
}

/** Starts the subject with these arguments besides its own, and waits until it allows a review. */
export async function startSubject({ plane, group, subject }: AdmissionRun, more: readonly string[]): Promise<Running> {
  const { program, args, env, webhookPort, webhookCa } = await subject.command(plane);
  const owned = await group.start(subject.name, program, [...args, ...more], { env });
  const url = `https://localhost:${webhookPort}${subject.validatePath}`;
  await eventually(`${subject.name} to allow the review`, async () => allows(webhookCa, url), { timeoutMs: 60_000 });
  return { process: owned, url };
}

/** The bench would measure little if it were refused. */
async function allows(ca: string, url: string): Promise<boolean> {
  const { origin, pathname } = new URL(url);
  const { body } = await callApi(
    { server: origin, ca, token: '' },
    { method: 'POST', path: pathname, body: reviewOf(2) },
  );
  const text = JSON.stringify(body);
  if (!text.includes('"allowed":true')) throw new Error(`The review was not allowed: ${text}`);
  return true;
}

/** Sends reviews to a running subject and counts what they cost it. */
export async function measure(
  { process, url }: Running,
  { name }: Subject,
  setting: { readonly case: string; readonly rate: number; readonly bodyKb: number; readonly seconds: number },
): Promise<AdmissionResult> {
  const { rate, bodyKb, seconds } = setting;
  const before = await processUsage(process.pid);
  const result = await sendLoad({ url, body: reviewOf(bodyKb), rate, seconds });
  const after = await processUsage(process.pid);
  const cpuMs = (1000 * (after.cpuSeconds - before.cpuSeconds)) / result.requests;
  return {
    subject: name,
    case: setting.case,
    rate,
    bodyKb,
    ...result,
    cpuMsPerReview: Math.round(cpuMs * 1000) / 1000,
    residentMb: after.residentMb,
  };
}

/** The review of a new Environment, filled up to this size by an annotation. */
export function reviewOf(kilobytes: number): string {
  const [group, version] = ['homeostat.io', 'v1alpha1'];
  const kind = { group, version, kind: 'Environment' };
  const resource = { group, version, resource: 'environments' };
  const review = (note: string): string =>
    JSON.stringify({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
        kind,
        resource,
        requestKind: kind,
        requestResource: resource,
        name: 'dev',
        namespace: benchNamespace,
        operation: 'CREATE',
        userInfo: { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] },
        dryRun: false,
        oldObject: null,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
        object: {
          apiVersion: `${group}/${version}`,
          kind: 'Environment',
          metadata: {
            name: 'dev',
            namespace: benchNamespace,
            uid: '9c2b8b1e-0000-4000-8000-000000000001',
            creationTimestamp: '2026-01-01T00:00:00Z',
            generation: 1,
            annotations: { note },
          },
          spec: environmentSpec,
        },
      },
    });
  return review('x'.repeat(Math.max(0, kilobytes * 1024 - review('').length)));
}
