import { createHash } from 'node:crypto';
import {
  type Injected,
  type InjectionContext,
  isRecord,
  type Unstructured,
  type VaultSettings,
} from '../../sdk/index.ts';
import { VAULT_APPS } from '../tenancy/own-resources.ts';
import { vaultName } from '../vault/vault-names.ts';
import {
  CONTAINERS_ANNOTATION,
  INJECT_ANNOTATION,
  INJECTED_ANNOTATION,
  OVER_ENV_FROM_ANNOTATION,
} from './injection-names.ts';
import type { VaultApp } from './schema.ts';

const VOLUME = 'homeostat-vault-token';
const MOUNT_PATH = '/var/run/secrets/homeostat.io/vault-token';

/** Set by a kubelet on what only shows a Pod of its own: it cannot be changed, and the API server refuses one that mounts a token. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** The kubelet renews the token at 80 % of this. */
const TOKEN_SECONDS = 3600;

/** What the vault command and its libraries read by themselves: where envFrom may set the same, setting it would override. */
const READ_BY_VAULT: readonly string[] = ['VAULT_ADDR', 'VAULT_NAMESPACE'];

type Raw = Readonly<Record<string, unknown>>;

/**
 * Gives a new Pod what its application needs to log in to Vault: variables, and a projected token with the right audience. It only adds,
 * never a container, and nothing that a Pod could wait for in vain; asked again it adds nothing. Where the Pod cannot be served it stays
 * as it is, with a warning.
 */
export function injectPod(pod: Unstructured, context: InjectionContext): Injected {
  const name = askedApp(pod);
  if (name === undefined) return { object: pod, warnings: [] };
  const found = appFor(pod, name, context);
  if (typeof found === 'string')
    return { object: pod, warnings: [`${INJECT_ANNOTATION}: ${found}; the Pod is left as it is`] };
  const spec = isRecord(pod['spec']) ? pod['spec'] : {};
  const variables = variablesOf(found.settings, found.app);
  const chosen = chosenContainers(pod);
  const overEnvFrom = pod.metadata.annotations?.[OVER_ENV_FROM_ANNOTATION] === 'true';
  const inject = (container: Raw): Raw => {
    if (chosen !== undefined && !chosen.includes(String(container['name']))) return container;
    const kept = overEnvFrom || listOf(container['envFrom']).length === 0;
    const wanted = kept ? variables : variables.filter(([variable]) => !READ_BY_VAULT.includes(variable));
    return withMount(withVariables(container, wanted));
  };
  const annotations = {
    [INJECTED_ANNOTATION]: hashOf(variables, found.app.spec.audience),
    ...pod.metadata.annotations,
  };
  const lists = ['initContainers', 'containers'].filter((list) => Array.isArray(spec[list]));
  const containers = Object.fromEntries(lists.map((list) => [list, listOf(spec[list]).map(inject)]));
  return {
    object: {
      ...pod,
      metadata: { ...pod.metadata, annotations },
      spec: { ...spec, ...containers, volumes: withVolume(listOf(spec['volumes']), found.app.spec.audience) },
    },
    warnings: [],
  };
}

/** What has become of a Pod that is there already: it did not get what it would get now, or got something else. */
export function judgePod(pod: Unstructured, context: InjectionContext): 'missing' | 'stale' | undefined {
  const phase = isRecord(pod['status']) ? pod['status']['phase'] : undefined;
  const name = askedApp(pod);
  const isOver = pod.metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed';
  if (isOver || name === undefined) return undefined;
  const found = appFor(pod, name, context);
  if (typeof found === 'string') return undefined;
  const given = pod.metadata.annotations?.[INJECTED_ANNOTATION];
  if (given === undefined) return 'missing';
  return given === hashOf(variablesOf(found.settings, found.app), found.app.spec.audience) ? undefined : 'stale';
}

function askedApp({ metadata: { annotations = {} } }: Unstructured): string | undefined {
  return MIRROR_ANNOTATION in annotations ? undefined : annotations[INJECT_ANNOTATION];
}

/** The app a Pod asks for, or why it cannot have it, in one clause. */
function appFor(
  pod: Unstructured,
  name: string,
  { lookup, namespace, outside }: InjectionContext,
): { readonly app: VaultApp; readonly settings: VaultSettings } | string {
  const settings = outside.vault?.settings;
  if (settings === undefined) return 'this service was started without --vault-address';
  const app = lookup.get<VaultApp>(VAULT_APPS, { namespace, name });
  if (app === undefined) return `VaultApp "${name}" does not exist in namespace "${namespace}"`;
  const given = isRecord(pod['spec']) ? pod['spec']['serviceAccountName'] : undefined;
  const account = typeof given === 'string' && given !== '' ? given : 'default';
  if (app.spec.serviceAccountNames.includes(account)) return { app, settings };
  return `service account "${account}" is none of VaultApp "${name}"`;
}

type Variable = readonly [name: string, value: string];

function variablesOf(settings: VaultSettings, app: VaultApp): readonly Variable[] {
  return [
    ['VAULT_ADDR', settings.address],
    ...(settings.namespace === '' ? [] : [['VAULT_NAMESPACE', settings.namespace] satisfies Variable]),
    ['VAULT_AUTH_MOUNT', settings.authMount],
    ['VAULT_ROLE', vaultName(settings, app)],
    ['VAULT_TOKEN_PATH', `${MOUNT_PATH}/token`],
  ];
}

function hashOf(variables: readonly Variable[], audience: string): string {
  return createHash('sha256')
    .update(JSON.stringify([variables, audience]))
    .digest('hex')
    .slice(0, 16);
}

function chosenContainers({ metadata }: Unstructured): readonly string[] | undefined {
  return metadata.annotations?.[CONTAINERS_ANNOTATION]?.split(',').map((name) => name.trim());
}

function withVariables(container: Raw, variables: readonly Variable[]): Raw {
  const env = listOf(container['env']);
  const missing = variables.filter(([variable]) => !env.some(({ name }) => name === variable));
  if (missing.length === 0) return container;
  return { ...container, env: [...env, ...missing.map(([name, value]) => ({ name, value }))] };
}

function withMount(container: Raw): Raw {
  const mounts = listOf(container['volumeMounts']);
  if (mounts.some(({ name, mountPath }) => name === VOLUME || mountPath === MOUNT_PATH)) return container;
  return { ...container, volumeMounts: [...mounts, { name: VOLUME, mountPath: MOUNT_PATH, readOnly: true }] };
}

function withVolume(volumes: readonly Raw[], audience: string): readonly Raw[] {
  if (volumes.some(({ name }) => name === VOLUME)) return volumes;
  const serviceAccountToken = { audience, expirationSeconds: TOKEN_SECONDS, path: 'token' };
  return [...volumes, { name: VOLUME, projected: { sources: [{ serviceAccountToken }] } }];
}

function listOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
