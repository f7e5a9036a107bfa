import { type DocumentFile, installationDifference, type KustomizeFolder, kustomizeFiles } from './kustomization.ts';
import { OPERATOR_COMMANDS, renderOperatorJob } from './operator-accounts.ts';
import { renderInstallation, renderParts } from './render.ts';
import type { ManifestSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';
import { baseVariant, certificateVariants, type Feature, featuresOf, type Variant } from './variants.ts';

/** Parts of the base, a folder each. */
const BASE_FOLDERS = ['crd', 'rbac', 'manager', 'webhook'] as const;

/** Folder of cert-manager's objects; those of the other ways stand in their overlays. */
const CERT_MANAGER_FOLDER = 'certmanager';

/** All YAML files of `manifests/`: install.yaml, the Jobs of commands, the samples, and kustomize's base, components and overlays. */
export function renderManifests(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly DocumentFile[] {
  return [
    { path: 'install.yaml', documents: renderInstallation(kinds, settings) },
    ...OPERATOR_COMMANDS.map((command) => ({
      path: `operate/${command}.yaml`,
      documents: renderOperatorJob(command, kinds, settings),
    })),
    ...kinds.map((kind) => ({ path: `samples/${kind.singular}.yaml`, documents: kind.samples })),
    ...kustomizeFolders(kinds, settings).flatMap(kustomizeFiles),
  ];
}

function kustomizeFolders(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly KustomizeFolder[] {
  const base = baseVariant(settings);
  const variants = certificateVariants(settings);
  return [
    ...baseFolders(kinds, base),
    ...variants.flatMap((variant) => certificateFolders(kinds, base, variant)),
    ...featuresOf(settings).flatMap((feature) => featureFolders(kinds, variants, feature)),
  ];
}

function baseFolders(kinds: readonly ManifestSlice[], { folder, settings }: Variant): readonly KustomizeFolder[] {
  const parts = renderParts(kinds, settings);
  return [
    ...BASE_FOLDERS.map((part): KustomizeFolder => {
      return { folder: part, kind: 'Kustomization', resources: [], objects: parts[part] };
    }),
    { folder, kind: 'Kustomization', resources: BASE_FOLDERS.map((part) => `../${part}`) },
  ];
}

function certificateFolders(
  kinds: readonly ManifestSlice[],
  base: Variant,
  { folder, settings }: Variant,
): readonly KustomizeFolder[] {
  const { objects, patches } = installationDifference(
    renderInstallation(kinds, base.settings),
    renderInstallation(kinds, settings),
  );
  const kind = 'Kustomization';
  const over = `../../${base.folder}`;
  if (settings.certificates.mode !== 'cert-manager') return [{ folder, kind, resources: [over], objects, patches }];
  return [
    { folder: CERT_MANAGER_FOLDER, kind, resources: [], objects },
    { folder, kind, resources: [over, `../../${CERT_MANAGER_FOLDER}`], patches },
  ];
}

/**
 * A component, and an overlay that adds it to the default installation. Where the part's own objects depend on the certificate, each
 * other way to it has a component of its own, which corrects them.
 */
function featureFolders(
  kinds: readonly ManifestSlice[],
  [common, ...others]: readonly [Variant, ...Variant[]],
  { name, add, everyOfKind = false }: Feature,
): readonly KustomizeFolder[] {
  const addedTo = ({ settings }: Variant): ReturnType<typeof installationDifference> =>
    installationDifference(renderInstallation(kinds, settings), renderInstallation(kinds, add(settings)));
  const added = addedTo(common);
  const patches = added.patches.map((patch) => ({ ...patch, everyOfKind }));
  const corrections = others.flatMap((variant): readonly KustomizeFolder[] => {
    const { patches: corrected } = installationDifference(added.objects, addedTo(variant).objects);
    if (corrected.length === 0) return [];
    const folder = `${name}-${nameOf(variant)}`;
    return [{ folder, kind: 'Component', resources: [], components: [`../${name}`], patches: corrected }];
  });
  const overlay = { resources: [`../${nameOf(common)}`], components: [`../../${name}`] };
  return [
    { folder: name, kind: 'Component', resources: [], objects: added.objects, patches },
    ...corrections,
    { folder: `overlays/${name}`, kind: 'Kustomization', ...overlay },
  ];
}

function nameOf({ folder }: Variant): string {
  return folder.slice(folder.lastIndexOf('/') + 1);
}
