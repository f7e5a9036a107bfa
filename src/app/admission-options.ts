import { withInjections } from '../admission/injection.ts';
import type { AdmissionServerOptions } from '../admission/server.ts';
import type { Kind } from '../sdk/kind.ts';
import type { InformerTable } from './informer-table.ts';
import { windowsOf } from './maintenance.ts';
import type { RunConfig } from './run-config.ts';

/** What the webhooks of a service are made of besides its kinds, flags and caches. */
export type AdmissionParts = Pick<
  AdmissionServerOptions,
  'certificates' | 'client' | 'outside' | 'clock' | 'log' | 'metrics' | 'tracer'
>;

/** The options of the admission server of these kinds. */
export function admissionOptions(
  kinds: readonly Kind[],
  config: RunConfig,
  informers: InformerTable,
  parts: AdmissionParts,
): AdmissionServerOptions {
  const windows = windowsOf(kinds);
  return {
    ...parts,
    slices: withInjections(kinds),
    hooks: kinds.flatMap((kind) => kind.hooks),
    samples: kinds.flatMap((kind) => kind.samples),
    lookup: informers.lookup,
    host: config['webhook-host'],
    port: config['webhook-port'],
    operatorNamespace: config.namespace,
    isTerminating: (namespace) => informers.isTerminating(namespace),
    ...(windows === undefined ? {} : { maintenance: windows.maintenance }),
  };
}
