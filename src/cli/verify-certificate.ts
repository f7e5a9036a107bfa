import type { X509Certificate } from 'node:crypto';
import { deadline } from '../base/abort.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import { certificatesOf, isInDate, verifiesUnder } from '../certs/certificate-chain.ts';
import { webhookDnsName } from '../manifests/settings.ts';
import type { VerifyAccess } from './verify-access.ts';
import { type About, broken, type Finding, unseen, well } from './verify-finding.ts';

/** How long a Pod may take to answer a TLS handshake; outside the cluster its address leads nowhere. */
const DIAL_MS = 3000;

const PORT = 443;

/** Where the serving certificate comes from is written there. */
const CERTIFICATE_PAGE = 'docs/certificates.md';

/**
 * Whether the caBundle of every hook verifies the chain that is served behind the Service. Where the Service cannot be dialled, as
 * outside the cluster, this stays unseen: the API server's own calls show it then.
 *
 * @param host where the Service leads, if it is there
 */
export async function verifyCertificate(
  access: VerifyAccess,
  host: string | undefined,
  bundles: ReadonlyMap<string, readonly string[]>,
): Promise<readonly Finding[]> {
  const findings = [...bundles].flatMap(([subject, texts]) => missingBundles({ joint: 'certificate', subject }, texts));
  if (findings.length > 0 || host === undefined || bundles.size === 0) return findings;
  const serverName = webhookDnsName(access.settings.namespace);
  const about: About = { joint: 'certificate', subject: serverName };
  const chain = await dial(access, host, serverName);
  if (typeof chain === 'string') {
    return [unseen(about, `${host}:${PORT} cannot be dialled from here (${chain}); the API server's calls show it`)];
  }
  return [
    judgeLeaf(access, about, chain),
    ...[...bundles].map(([name, texts]) => judgeTrust(access, name, texts, chain)),
  ];
}

function missingBundles(about: About, texts: readonly string[]): readonly Finding[] {
  const empty = texts.filter((text) => text === '').length;
  if (empty === 0) return [];
  return [
    broken(
      about,
      `${empty} of ${texts.length} hooks have no caBundle, so the API server trusts nobody there`,
      `Whoever writes it has not: cert-manager's cainjector, or this service where it is self-managed; see ${CERTIFICATE_PAGE}`,
    ),
  ];
}

async function dial(
  { servedChain, clock, signal }: VerifyAccess,
  host: string,
  serverName: string,
): Promise<readonly X509Certificate[] | string> {
  const late = (): Error => new HomeostatError('HOMEOSTAT_TIMEOUT', `no answer within ${DIAL_MS / 1000} s`);
  const limit = deadline(clock, DIAL_MS, signal, late);
  try {
    return await servedChain({ host, port: PORT, serverName }, limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    return errorText(error);
  } finally {
    limit.cancel();
  }
}

function judgeLeaf({ clock, settings }: VerifyAccess, about: About, [leaf]: readonly X509Certificate[]): Finding {
  const remedy = `See what issues it: kubectl get certificate -n ${settings.namespace}, and ${CERTIFICATE_PAGE}`;
  if (leaf === undefined) return broken(about, 'No certificate is served', remedy);
  if (!isInDate(leaf, clock.now())) {
    return broken(about, `The certificate served is valid from ${leaf.validFrom} to ${leaf.validTo} only`, remedy);
  }
  if (leaf.checkHost(about.subject) === undefined) {
    return broken(
      about,
      `The certificate served is not for this name but for ${leaf.subjectAltName ?? 'none'}`,
      remedy,
    );
  }
  return well(about, `the certificate served is for this name and valid until ${leaf.validTo}`);
}

function judgeTrust(
  { clock }: VerifyAccess,
  subject: string,
  texts: readonly string[],
  chain: readonly X509Certificate[],
): Finding {
  const about: About = { joint: 'certificate', subject };
  const distrusting = texts.filter((text) => !verifies(chain, text, clock.now())).length;
  if (distrusting === 0) return well(about, 'its caBundle verifies the chain that is served');
  return broken(
    about,
    `The caBundle of ${distrusting} of ${texts.length} hooks does not verify the chain that is served`,
    `Let whoever issues the certificate write its authority there; see ${CERTIFICATE_PAGE}`,
  );
}

function verifies(chain: readonly X509Certificate[], bundle: string, now: number): boolean {
  try {
    return verifiesUnder(chain, certificatesOf(bundle, 'the caBundle'), now);
  } catch {
    // A bundle that cannot be read verifies nothing; the API server says the same.
    return false;
  }
}
