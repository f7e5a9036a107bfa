import type { VerifyAccess } from './verify-access.ts';
import { verifyAnswers } from './verify-answers.ts';
import { verifyCertificate } from './verify-certificate.ts';
import { verifyDefinitions } from './verify-definitions.ts';
import type { Finding } from './verify-finding.ts';
import { verifyLeader } from './verify-leader.ts';
import { verifyRegistration } from './verify-registration.ts';
import { verifyRights } from './verify-rights.ts';
import { verifyService } from './verify-service.ts';

/**
 * Looks at everything between a person's apply and a verdict, and at what reconciles behind it, in the order in which one rests on
 * another. Nothing is stored. Rejects when the API server does not answer.
 */
export async function verifyInstallation(access: VerifyAccess): Promise<readonly Finding[]> {
  const definitions = await verifyDefinitions(access);
  const rights = await verifyRights(access);
  const service = await verifyService(access);
  const registration = await verifyRegistration(access);
  const certificate = await verifyCertificate(access, service.host, registration.bundles);
  const answers = await verifyAnswers(access);
  const leader = await verifyLeader(access);
  return [...definitions, ...rights, ...service.findings, ...registration.findings, ...certificate, ...answers, leader];
}
