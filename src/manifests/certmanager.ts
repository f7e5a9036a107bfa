import type { Manifest } from '../base/object.ts';
import { labelsFor, type ManifestSettings, NAMES, webhookDnsName } from './settings.ts';

const API_VERSION = 'cert-manager.io/v1';

/**
 * Two tiers: a self-signed issuer signs a long-lived CA, the CA signs the short-lived serving certificate. A self-signed serving
 * certificate would change its own CA at each renewal and break every call until the Pod has read it (cert-manager#6350).
 */
export function renderCertManager(settings: ManifestSettings): readonly Manifest[] {
  const labels = labelsFor(settings, 'certificates');
  const metadata = (name: string) => ({ name, namespace: settings.namespace, labels });
  return [
    {
      apiVersion: API_VERSION,
      kind: 'Issuer',
      metadata: metadata('homeostat-selfsigned'),
      spec: { selfSigned: {} },
    },
    {
      apiVersion: API_VERSION,
      kind: 'Certificate',
      metadata: metadata(NAMES.certificateAuthority),
      spec: {
        isCA: true,
        commonName: NAMES.certificateAuthority,
        secretName: NAMES.certificateAuthority,
        duration: '43800h0m0s',
        renewBefore: '8760h0m0s',
        // The key stays: a renewed CA certificate then still verifies the serving certificates made before.
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' },
        issuerRef: { kind: 'Issuer', name: 'homeostat-selfsigned', group: 'cert-manager.io' },
      },
    },
    {
      apiVersion: API_VERSION,
      kind: 'Issuer',
      metadata: metadata(NAMES.certificateAuthority),
      spec: { ca: { secretName: NAMES.certificateAuthority } },
    },
    {
      apiVersion: API_VERSION,
      kind: 'Certificate',
      metadata: metadata(NAMES.servingCertificate),
      spec: {
        secretName: NAMES.servingSecret,
        dnsNames: [webhookDnsName(settings.namespace), `${webhookDnsName(settings.namespace)}.cluster.local`],
        duration: '2160h0m0s',
        renewBefore: '720h0m0s',
        revisionHistoryLimit: 1,
        usages: ['digital signature', 'key encipherment', 'server auth'],
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        issuerRef: { kind: 'Issuer', name: NAMES.certificateAuthority, group: 'cert-manager.io' },
      },
    },
  ];
}
