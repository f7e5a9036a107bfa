import type { Manifest } from '../base/object.ts';
import { renderCertificates } from './certificates.ts';
import { renderCrd } from './crd.ts';
import { renderManager } from './deployment.ts';
import { renderRbac } from './rbac.ts';
import { type CertificateSettings, DEFAULT_SIGNER, type ManifestSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';
import { renderUserRoles } from './user-roles.ts';
import { renderWebhooks } from './webhook.ts';

/** One file below `manifests/`. */
export interface ManifestFile {
  /** Relative path, forward slashes. */
  readonly path: string;
  readonly objects: readonly Manifest[];
}

/** Objects of one installation, by the part they belong to, in the order they are applied. */
export function renderParts(
  kinds: readonly ManifestSlice[],
  settings: ManifestSettings,
): Readonly<Record<'crd' | 'manager' | 'rbac' | 'certificates' | 'webhook', readonly Manifest[]>> {
  return {
    manager: renderManager(settings),
    crd: kinds.map((kind) => renderCrd(kind, settings)),
    rbac: [...renderRbac(kinds, settings), ...renderUserRoles(kinds, settings)],
    certificates: renderCertificates(settings),
    webhook: renderWebhooks(
      kinds.flatMap((kind) => kind.hooks),
      settings,
    ),
  };
}

/** All files of `manifests/`, `install.yaml` among them. Rendering twice gives the same bytes. */
export function renderManifests(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly ManifestFile[] {
  const parts = renderParts(kinds, settings);
  const files: ManifestFile[] = [];
  for (const [folder, objects] of Object.entries(parts)) {
    for (const object of objects) {
      const name = folder === 'crd' ? object.metadata.name : `${object.kind.toLowerCase()}-${object.metadata.name}`;
      files.push({ path: `${folderOf(folder, settings)}/${name}.yaml`, objects: [object] });
    }
  }
  for (const kind of kinds) files.push({ path: `samples/${kind.singular}.yaml`, objects: kind.samples });
  return [...files, { path: 'install.yaml', objects: installOrder(parts) }, ...renderOverlays(kinds, settings)];
}

/** The other ways to serving certificates: a whole installation each, beside the common one that needs cert-manager. */
const OVERLAYS: readonly CertificateSettings[] = [{ mode: 'self-managed' }, { mode: 'csr', signer: DEFAULT_SIGNER }];

function renderOverlays(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly ManifestFile[] {
  if (settings.certificates.mode !== 'cert-manager') return [];
  return OVERLAYS.map((certificates) => ({
    path: `overlays/${certificates.mode}/install.yaml`,
    objects: installOrder(renderParts(kinds, { ...settings, certificates })),
  }));
}

function folderOf(part: string, { certificates }: ManifestSettings): string {
  return part === 'certificates' && certificates.mode === 'cert-manager' ? 'certmanager' : part;
}

/** The namespace first, then what the Pods need, the Pods, and the hooks last: a hook nobody answers would refuse our own objects. */
function installOrder(parts: ReturnType<typeof renderParts>): readonly Manifest[] {
  const [namespace, ...manager] = parts.manager;
  const first = namespace === undefined ? [] : [namespace];
  return [...first, ...parts.crd, ...parts.rbac, ...parts.certificates, ...manager, ...parts.webhook];
}
