import type { Manifest, Unstructured } from '../../src/base/object.ts';
import type { ClusterConfig } from '../../src/kinds/clusterconfig/index.ts';
import { namespaceManifest } from '../../src/kinds/environment/namespace-manifest.ts';
import type { Environment } from '../../src/kinds/environment/schema.ts';
import { keepNamespace } from '../../src/kinds/environment/write-namespace.ts';
import type { StepApi } from '../../src/steps/step.ts';
import { type Decision, OWNER } from './oracle-children.ts';
import type { NamespaceWish } from './oracle-generators.ts';

/** What step 4 of an Environment does about a namespace, and the manifest it wants. */
export async function namespaceDecision(
  value: unknown,
  name: string,
  live: Unstructured | undefined,
): Promise<{ readonly ours: Decision; readonly whole: Manifest }> {
  // What the generator gave, or a mixture of what it gave.
  const { labels = {}, annotations = {}, stage = 'dev', enforce = 'baseline' } = value as Partial<NamespaceWish>;
  const spec = { namespaceLabels: labels, namespaceAnnotations: annotations, stage };
  const source = {
    // The members that a namespace is made of.
    environment: { ...OWNER, spec } as unknown as Environment,
    config: { spec: { podSecurity: { enforce, warn: enforce } } } as unknown as ClusterConfig,
  };
  const whole = namespaceManifest(name, source, false);
  if (live === undefined) return { ours: { type: 'apply', manifest: whole }, whole };
  let sends = false;
  const note = (): Promise<Unstructured> => {
    sends = true;
    return Promise.resolve(live);
  };
  // Keeping a namespace uses these three calls.
  const api = { client: { get: () => Promise.resolve(live), apply: note, patch: note } } as unknown as StepApi;
  await keepNamespace(live, { ...source, api, signal: new AbortController().signal, name, teamMissing: false });
  return { ours: sends ? { type: 'apply', manifest: whole } : { type: 'nothing' }, whole };
}
