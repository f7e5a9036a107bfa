import type { Manifest } from '../base/object.ts';
import type { Touch } from '../base/touch.ts';
import {
  CERTIFICATE_SIGNING_REQUESTS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../kube/well-known.ts';
import { AUTHORITY_FILE } from './certificate-mount.ts';
import { renderCertManager } from './certmanager.ts';
import { labelsFor, type ManifestSettings, NAMES } from './settings.ts';

/** The objects of the chosen way to serving certificates, the rights apart. */
export function renderCertificates(settings: ManifestSettings): readonly Manifest[] {
  const { certificates, namespace } = settings;
  const labels = labelsFor(settings, 'certificates');
  switch (certificates.mode) {
    case 'cert-manager':
      return renderCertManager(settings);
    case 'mounted':
      return [];
    case 'self-managed':
      // Without data: the service fills it, and applying the manifests again must not empty it.
      return [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: NAMES.selfManagedSecret, namespace, labels },
          type: 'Opaque',
        },
      ];
    case 'csr':
      return [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: NAMES.signerAuthorities, namespace, labels },
          data: certificates.authority === undefined ? {} : { [AUTHORITY_FILE]: certificates.authority },
        },
      ];
  }
}

/** Our own webhook configurations: to be compared with the hook table in every mode. */
const OWN_CONFIGURATIONS = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];

/** What the service does in the whole cluster for its certificate and its registration. */
export function certificateTouches({ certificates }: ManifestSettings): readonly Touch[] {
  const own = (verbs: Touch['verbs']): readonly Touch[] =>
    OWN_CONFIGURATIONS.map((type) => ({ type, verbs, resourceNames: [NAMES.webhookConfiguration] }));
  const looks = own(['get']);
  switch (certificates.mode) {
    case 'cert-manager':
    case 'mounted':
      return looks;
    case 'self-managed':
      return [...looks, ...own(['patch'])];
    case 'csr':
      return [...looks, { type: CERTIFICATE_SIGNING_REQUESTS, verbs: ['create', 'get', 'watch'] }];
  }
}

/** What it does in its own namespace for them: nothing, or one Secret by name. */
export function certificateSecretTouches({ certificates }: ManifestSettings): readonly Touch[] {
  if (certificates.mode !== 'self-managed') return [];
  return [{ type: SECRETS, verbs: ['get', 'watch', 'update'], resourceNames: [NAMES.selfManagedSecret] }];
}
