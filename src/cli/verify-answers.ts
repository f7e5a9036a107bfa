import { ALLOWED_AS_ASKED, type AskedVerdict, REFUSED_AS_ASKED, VERIFY_ANNOTATION } from '../admission/verification.ts';
import type { Manifest } from '../base/object.ts';
import { groupResourceOf } from '../base/resource.ts';
import { ApiError } from '../kube/api-error.ts';
import { denyingWebhook, isAlreadyExists, isForbidden, isInvalid, isNotFound } from '../kube/api-error-predicates.ts';
import type { Kind } from '../sdk/kind.ts';
import { failedCall } from './failed-call.ts';
import { APPLY_AGAIN, type VerifyAccess, withoutRight } from './verify-access.ts';
import { type About, broken, type Finding, unseen, well } from './verify-finding.ts';

/** Name of what is sent as a dry run; nothing of it is stored. */
const NAME = 'homeostat-verify';

/** What came of a dry run: nothing, which is as it should be, or what is wrong. */
type Wrong = Finding | undefined;

/** A kind that is tried. */
interface Trial {
  readonly kind: Kind;
  readonly sample: Manifest;
  readonly about: About;
}

/**
 * Sends two dry runs of every kind through the API server: one that asks the webhook to be allowed and one that asks to be
 * refused. Both must be answered, in the words of this service: nobody else would say them.
 */
export async function verifyAnswers(access: VerifyAccess): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  // One after another: warnings are told apart by when they come.
  for (const kind of access.kinds) findings.push(await verifyKind(access, kind));
  return findings;
}

async function verifyKind(access: VerifyAccess, kind: Kind): Promise<Finding> {
  const about: About = { joint: 'answers', subject: kind.type.kind };
  const sample = kind.samples.find((object) => object.kind === kind.type.kind);
  if (sample === undefined) return unseen(about, 'The kind has no sample to send');
  const trial: Trial = { kind, sample, about };
  const wrong = (await tryOne(access, trial, 'allow')) ?? (await tryOne(access, trial, 'refuse'));
  return wrong ?? well(about, 'one dry run was allowed and one refused, as asked');
}

function probeOf({ kind, sample }: Trial, namespace: string, asked: AskedVerdict): Manifest {
  return {
    ...sample,
    metadata: {
      name: NAME,
      ...(kind.type.namespaced ? { namespace } : {}),
      annotations: { [VERIFY_ANNOTATION]: asked },
    },
  };
}

async function tryOne(access: VerifyAccess, trial: Trial, asked: AskedVerdict): Promise<Wrong> {
  const { client, signal, settings, takeWarnings } = access;
  const { kind, about } = trial;
  const probe = probeOf(trial, settings.namespace, asked);
  takeWarnings();
  try {
    await client.create(kind.type, probe, { signal, dryRun: true, fieldManager: NAME });
  } catch (error) {
    if (error instanceof ApiError) return judgeRefusal(trial, asked, error);
    throw error;
  }
  if (asked === 'refuse')
    return broken(about, 'What asks to be refused is allowed: no webhook of ours answered', REGISTER);
  if (takeWarnings().some((warning) => warning.includes(ALLOWED_AS_ASKED))) return undefined;
  return broken(about, 'It is allowed without a word of ours: no webhook of this version answered', REGISTER);
}

const REGISTER = `${APPLY_AGAIN}, and see that all Pods are of one version`;

function judgeRefusal({ kind, about }: Trial, asked: AskedVerdict, error: ApiError): Wrong {
  const text = error.statusMessage;
  if (asked === 'refuse' && denyingWebhook(error) !== undefined && text.includes(REFUSED_AS_ASKED)) return undefined;
  // Storage comes after every webhook, so this one was allowed.
  if (asked === 'allow' && isAlreadyExists(error)) return undefined;
  const call = failedCall(text);
  if (call !== undefined) return broken(about, call.text, call.remedy);
  const webhook = denyingWebhook(error);
  if (webhook !== undefined) {
    return broken(
      about,
      `The webhook ${webhook} refuses it: ${text}`,
      'See what that policy wants of objects of this kind',
    );
  }
  if (isNotFound(error)) return broken(about, `The API server does not know it: ${text}`, APPLY_AGAIN);
  if (isInvalid(error))
    return broken(about, `The stored definition refuses this version's sample: ${text}`, APPLY_AGAIN);
  if (isForbidden(error) && text.includes(' cannot create resource ')) {
    return withoutRight(about, `create ${groupResourceOf(kind.type)}`);
  }
  return broken(about, `The API server refuses it: ${text}`, 'See what else the cluster asks of objects of this kind');
}
