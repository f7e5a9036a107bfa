import type { VaultAppSpec } from './schema.ts';

/** Fields that say how long a token may live. */
const LIVES = ['tokenTTLSeconds', 'tokenMaxTTLSeconds', 'tokenPeriodSeconds'] as const;

/** The first field that lets a token live beyond the ceiling of the ClusterConfig, in one clause. */
export function lifeProblem(
  spec: VaultAppSpec,
  ceilingSeconds: number,
): { readonly member: (typeof LIVES)[number]; readonly detail: string } | undefined {
  const member = LIVES.find((name) => spec[name] > ceilingSeconds);
  if (member === undefined) return undefined;
  const detail = `${spec[member]} seconds exceed spec.vault.maxTokenTTLSeconds of the ClusterConfig, ${ceilingSeconds}`;
  return { member, detail };
}
