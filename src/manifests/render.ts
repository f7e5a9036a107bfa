import type { Manifest } from '../base/object.ts';
import { renderCertificates } from './certificates.ts';
import { renderCrd } from './crd.ts';
import { renderManager } from './deployment.ts';
import { renderMonitoring } from './monitoring.ts';
import { renderNetworkPolicies } from './network-policy.ts';
import { renderRbac } from './rbac.ts';
import type { ManifestSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';
import { renderUserRoles } from './user-roles.ts';
import { renderWebhooks } from './webhook.ts';

/** The parts of an installation. */
export type ManifestParts = Readonly<
  Record<'manager' | 'crd' | 'rbac' | 'certificates' | 'network-policy' | 'monitoring' | 'webhook', readonly Manifest[]>
>;

/** Objects of one installation, by the part they belong to. */
export function renderParts(kinds: readonly ManifestSlice[], settings: ManifestSettings): ManifestParts {
  return {
    manager: renderManager(settings),
    crd: kinds.map((kind) => renderCrd(kind, settings)),
    rbac: [...renderRbac(kinds, settings), ...renderUserRoles(kinds, settings)],
    certificates: renderCertificates(settings),
    'network-policy': renderNetworkPolicies(settings),
    monitoring: renderMonitoring(kinds, settings),
    webhook: renderWebhooks(
      kinds.flatMap((kind) => kind.hooks),
      settings,
    ),
  };
}

/**
 * Objects of one installation in the order they are applied: the namespace first, then what the Pods need, the Pods, and the hooks
 * last: a hook nobody answers would refuse our own objects.
 */
export function renderInstallation(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly Manifest[] {
  const parts = renderParts(kinds, settings);
  const [namespace, ...manager] = parts.manager;
  const first = namespace === undefined ? [] : [namespace];
  const before = [...parts.crd, ...parts.rbac, ...parts.certificates, ...parts['network-policy']];
  return [...first, ...before, ...manager, ...parts.monitoring, ...parts.webhook];
}
