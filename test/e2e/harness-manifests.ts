import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type Right, rightsOf } from './used-rights.ts';

/** What the harness reads of the generated manifests. */
export interface InstallManifests {
  /** Path of install.yaml, to be applied as it is. */
  readonly file: string;
  /** What it holds. */
  readonly objects: readonly { readonly kind: string }[];
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The Service that the webhook configurations name. */
  readonly service: string;
  /** The Secret that is mounted with the serving certificate. */
  readonly secret: string;
  /** Arguments and plain environment of the Deployment's container. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly webhookConfigurations: readonly { readonly kind: string; readonly name: string }[];
  /** What the rules of the roles that are bound to the ServiceAccount grant it. */
  readonly rights: readonly Right[];
}

/** The fields of the generated objects that are read here. */
interface InstallObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly env: readonly { readonly name: string; readonly value?: string }[];
  }[];
}

/** Reads manifests/install.yaml. Rejects when it lacks what an installation needs. */
export async function readInstallManifests(projectFolder: string): Promise<InstallManifests> {
  const file = join(projectFolder, 'manifests', 'install.yaml');
  const documents = parseAllDocuments(await readFile(file, 'utf8'));
  // The project's own generated file; what is read of it is checked below by use.
  const objects = documents.map((document) => document.toJS() as InstallObject);
  const deployment = one(objects, 'Deployment', file);
  const pod = deployment.spec?.template?.spec;
  const container = pod?.containers[0];
  const secret = pod?.volumes.find((volume) => volume.secret !== undefined)?.secret?.secretName;
  if (pod === undefined || container === undefined || secret === undefined)
    throw new Error(`The Deployment of ${file} has no container or mounts no Secret.`);
  return {
    file,
    objects,
    namespace: deployment.metadata.namespace ?? 'default',
    serviceAccount: pod.serviceAccountName,
    service: one(objects, 'Service', file).metadata.name,
    secret,
    args: container.args,
    env: Object.fromEntries(container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    webhookConfigurations: objects
      .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
      .map(({ kind, metadata: { name } }) => ({ kind, name })),
    rights: rightsOf(boundRoles(objects, pod.serviceAccountName)),
  };
}

function boundRoles(objects: readonly InstallObject[], account: string): readonly InstallObject[] {
  const bound = objects.flatMap(({ roleRef, subjects = [] }) =>
    roleRef !== undefined && subjects.some(({ name }) => name === account) ? [roleRef] : [],
  );
  return objects.filter(({ kind, metadata }) =>
    bound.some((role) => role.kind === kind && role.name === metadata.name),
  );
}

function one(objects: readonly InstallObject[], kind: string, file: string): InstallObject {
  const [object, second] = objects.filter((candidate) => candidate.kind === kind);
  if (object === undefined || second !== undefined) throw new Error(`${file} must hold exactly one ${kind}.`);
  return object;
}

/** A command line in which flags of the same name are replaced and the others kept. */
export function withFlags(
  args: readonly string[],
  flags: Readonly<Record<string, string | number>>,
): readonly string[] {
  const kept = args.filter((arg) => !Object.keys(flags).some((name) => arg.startsWith(`--${name}=`)));
  return [...kept, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)];
}
