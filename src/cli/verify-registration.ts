import type { Unstructured } from '../base/object.ts';
import { formatRef } from '../base/resource.ts';
import { caBundlesOf, hookDifferences } from '../manifests/hook-differences.ts';
import { renderWebhooks } from '../manifests/webhook.ts';
import { typeOf } from './apply-manifests.ts';
import { APPLY_AGAIN, look, type VerifyAccess } from './verify-access.ts';
import { type About, broken, type Finding, well } from './verify-finding.ts';

/** What was found about the webhook configurations, and the authorities that they trust. */
export interface RegistrationFinding {
  readonly findings: readonly Finding[];
  /** caBundle of each registered hook by the configuration's name; empty texts where one is missing. */
  readonly bundles: ReadonlyMap<string, readonly string[]>;
}

/** Whether both webhook configurations are what this version renders. */
export async function verifyRegistration(access: VerifyAccess): Promise<RegistrationFinding> {
  const hooks = access.kinds.flatMap((kind) => kind.hooks);
  const rendered = renderWebhooks(hooks, access.settings).filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
  const findings: Finding[] = [];
  const bundles = new Map<string, readonly string[]>();
  for (const configuration of rendered) {
    const { name } = configuration.metadata;
    const subject = formatRef({ kind: configuration.kind, name });
    const about: About = { joint: 'registration', subject };
    const looked = await look(access, typeOf(configuration, []), { name }, about);
    if (looked.object === undefined) {
      findings.push(looked.finding);
      continue;
    }
    bundles.set(subject, caBundlesOf(looked.object));
    findings.push(judge(about, hookDifferences(configuration, looked.object), looked.object));
  }
  return { findings, bundles };
}

function judge(about: About, differences: readonly string[], registered: Unstructured): Finding {
  const [first, ...others] = differences;
  if (first === undefined) return well(about, `its ${caBundlesOf(registered).length} hooks are as rendered`);
  const more = others.length === 0 ? '' : `, and ${others.length} more differences`;
  return broken(about, `${first}${more}`, APPLY_AGAIN);
}
