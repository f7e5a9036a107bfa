import { readRunConfig, type RunConfig } from '../../app/run-config.ts';
import type { Manifest } from '../../base/object.ts';
import { groupResourceOf, type ResourceType } from '../../base/resource.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import * as wellKnown from '../../kube/well-known.ts';
import { renderCrd } from '../../manifests/crd.ts';
import { defaultManifestSettings } from '../../manifests/settings.ts';
import { renderWebhooks } from '../../manifests/webhook.ts';
import type { Kind } from '../../sdk/kind.ts';
import { VAULT_FLAGS } from './simulated-vault.ts';
import { type Settled, settle } from './settled.ts';
import { squattersIn } from './squatters.ts';
import { World } from './world.ts';

/** What every simulation of a kind begins with; made once and never changed. */
export interface Setting {
  /** The kind that is looked at. */
  readonly subject: Kind;
  /** It and those it reads, in the order in which they refer to each other. */
  readonly kinds: readonly Kind[];
  readonly config: RunConfig;
  /** Every resource that is spoken of. */
  readonly types: readonly ResourceType[];
  /** Configurations by which the webhooks are registered. */
  readonly webhooks: readonly Manifest[];
  /** A cluster with the definitions of the kinds and their webhooks, and nothing of them. */
  readonly state: ClusterState;
  /** The same cluster with what the samples ask for. */
  readonly settled: Settled;
  /** Objects of somebody else under names that the service will want. */
  readonly squatters: readonly Manifest[];
}

/** Makes the setting for one of some kinds: those that it reads come along, others do not. */
export async function createSetting(subject: Kind, all: readonly Kind[]): Promise<Setting> {
  const kinds = withThoseItReads(subject, all);
  const settings = defaultManifestSettings('0.0.0');
  const webhooks = renderWebhooks(
    kinds.flatMap(({ hooks }) => hooks),
    settings,
  ).filter(({ kind }) => kind !== wellKnown.SERVICES.kind);
  const config = readRunConfig(['--hook-check=0s', '--shutdown-delay=1s', ...VAULT_FLAGS], {});
  const types = typesOf(kinds);
  const world = new World({ kinds, config, seed: 0, faults: [], skewsMs: [] });
  await world.byPerson(async (client, signal) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: config.namespace } };
    for (const object of [namespace, ...kinds.map((kind) => renderCrd(kind, settings)), ...webhooks]) {
      const type = types.find(({ kind }) => kind === object.kind);
      if (type !== undefined) await client.create(type, object, { signal });
    }
  });
  await world.pass(5000);
  const state = world.cluster.state();
  world.close();
  const settled = await settle({ kinds, config, types, state });
  return { subject, kinds, config, types, webhooks, state, settled, squatters: squattersIn(settled.state) };
}

/** A kind and, through any number of steps, those of the others whose objects it reads; windows concern every kind. */
function withThoseItReads(subject: Kind, all: readonly Kind[]): readonly Kind[] {
  const wanted = new Set<Kind>([subject]);
  for (const kind of wanted) {
    const read = [...kind.watches, ...kind.indexes].map(({ type }) => groupResourceOf(type));
    for (const other of all) {
      if (read.includes(groupResourceOf(other.type)) || other.maintenance !== undefined) wanted.add(other);
    }
  }
  return all.filter((kind) => wanted.has(kind));
}

function typesOf(kinds: readonly Kind[]): readonly ResourceType[] {
  const declared = kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
  const types = [...declared, ...Object.values<ResourceType>(wellKnown)];
  return [...new Map(types.map((type) => [groupResourceOf(type), type])).values()];
}
