import { DEFAULT_SIGNER, type ManifestSettings } from './settings.ts';

/** A way to install: what it adds to another one. */
export interface Variant {
  /** Its folder below `manifests/`. */
  readonly folder: string;
  readonly settings: ManifestSettings;
}

/** A part that goes with any way to serving certificates: a kustomize component, and an overlay that adds it to the default. */
export interface Feature {
  readonly name: string;
  readonly add: (settings: ManifestSettings) => ManifestSettings;
  /** Whether its patches are for every object of a kind, those of other features too. @defaultValue false */
  readonly everyOfKind?: boolean;
}

/** The priority class of the feature of that name: every cluster has it. */
const PRIORITY_CLASS = 'system-cluster-critical';

/** The stages of the feature of that name, where the settings name none. */
const STAGES: readonly string[] = ['dev', 'int'];

/** What can be added, in the order of the documentation. */
export function featuresOf({ stages }: Pick<ManifestSettings, 'stages'>): readonly Feature[] {
  return [
    { name: 'network-policy', add: (settings) => ({ ...settings, networkPolicy: true }) },
    { name: 'prometheus', add: (settings) => ({ ...settings, monitoring: true }) },
    { name: 'sharded', add: (settings) => ({ ...settings, stages: stages.length === 0 ? STAGES : stages }) },
    {
      name: 'priority-class',
      add: (settings) => ({ ...settings, priorityClassName: PRIORITY_CLASS }),
      everyOfKind: true,
    },
  ];
}

/** What every installation has; the serving certificate and the caBundle are left to somebody else. */
export function baseVariant({ namespace, image, version, replicas }: ManifestSettings): Variant {
  const common = { namespace, image, version, replicas };
  const plain = { stages: [], networkPolicy: false, monitoring: false } as const;
  return { folder: 'base', settings: { ...common, ...plain, certificates: { mode: 'mounted' } } };
}

/** One variant a way to serving certificates. The first is the default. */
export function certificateVariants(settings: ManifestSettings): readonly [Variant, ...Variant[]] {
  const { settings: base } = baseVariant(settings);
  const { certificates } = settings;
  const csr = certificates.mode === 'csr' ? certificates : ({ mode: 'csr', signer: DEFAULT_SIGNER } as const);
  return [
    { folder: 'overlays/cert-manager', settings: { ...base, certificates: { mode: 'cert-manager' } } },
    { folder: 'overlays/self-managed', settings: { ...base, certificates: { mode: 'self-managed' } } },
    { folder: 'overlays/csr', settings: { ...base, certificates: csr } },
  ];
}

/** Every folder that can be installed. */
export function allVariants(settings: ManifestSettings): readonly Variant[] {
  const certificates = certificateVariants(settings);
  const [common] = certificates;
  const features = featuresOf(settings).map(({ name, add }) => ({
    folder: `overlays/${name}`,
    settings: add(common.settings),
  }));
  return [baseVariant(settings), ...certificates, ...features];
}
