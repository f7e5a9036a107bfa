import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';

/** A webhook configuration by its type and name. */
export interface ConfigurationRef {
  readonly type: ResourceType;
  readonly name: string;
}

/** A webhook configuration as it stands in the cluster. */
export interface RegisteredConfiguration {
  readonly ref: ConfigurationRef;
  readonly object: Unstructured;
  /** caBundle of each hook, PEM; empty where there is none. */
  readonly bundles: readonly string[];
  /** The annotation that has cert-manager write the caBundle too. */
  readonly injected: string | undefined;
}

/** Whichever of them is set, cert-manager's cainjector writes every caBundle of the object. */
const INJECT_ANNOTATIONS = ['inject-ca-from', 'inject-ca-from-secret', 'inject-apiserver-ca'].map(
  (name) => `cert-manager.io/${name}`,
);

/** Reads a configuration; `undefined` when it does not exist (yet). */
export async function readConfiguration(
  client: KubeClient,
  ref: ConfigurationRef,
  options: CallOptions,
): Promise<RegisteredConfiguration | undefined> {
  const object = await findObject(client, ref.type, { name: ref.name }, options);
  if (object === undefined) return undefined;
  const annotations = object.metadata.annotations ?? {};
  return {
    ref,
    object,
    bundles: hooksOf(object).map(bundleOfHook),
    injected: INJECT_ANNOTATIONS.find((name) => annotations[name] !== undefined),
  };
}

/**
 * Writes the bundle into every hook. The patch names the hooks by their place, so it holds for the version that was read alone:
 * it rejects with a 422 when somebody else was faster.
 */
export async function writeBundle(
  client: KubeClient,
  { ref, object }: RegisteredConfiguration,
  bundle: string,
  options: CallOptions,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  await client.patch(
    ref.type,
    { name: ref.name },
    {
      type: 'json',
      body: [
        { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
        ...hooksOf(object).map((_, index) => ({
          op: 'add',
          path: `/webhooks/${index}/clientConfig/caBundle`,
          value: caBundle,
        })),
      ],
    },
    { ...options, fieldManager: 'homeostat-certificates' },
  );
}

/** Two writers of one caBundle would replace each other's forever. Code `HOMEOSTAT_CERTIFICATES_INJECTED`. */
export class InjectedConfiguration extends HomeostatError {
  constructor({ ref, injected }: RegisteredConfiguration) {
    super(
      'HOMEOSTAT_CERTIFICATES_INJECTED',
      `${ref.type.kind} ${ref.name} has the annotation ${injected}, so cert-manager writes its caBundle, and --certificates=self-managed would too; remove the annotation (apply manifests/overlays/self-managed) or run with --certificates=cert-manager`,
    );
    this.name = 'InjectedConfiguration';
  }
}

function hooksOf(object: Unstructured): readonly unknown[] {
  const hooks = object['webhooks'];
  return Array.isArray(hooks) ? hooks : [];
}

function bundleOfHook(hook: unknown): string {
  const config = isRecord(hook) ? hook['clientConfig'] : undefined;
  const bundle = isRecord(config) ? config['caBundle'] : undefined;
  return typeof bundle === 'string' ? Buffer.from(bundle, 'base64').toString('utf8') : '';
}
