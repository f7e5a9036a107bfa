/** A token of a service account as the API server issues it, without a signature: the fake Vault checks none. */
export function unsignedToken(namespace: string, name: string, audience: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: `system:serviceaccount:${namespace}:${name}`, aud: [audience] };
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}
