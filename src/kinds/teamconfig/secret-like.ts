/** Starts of credentials that name their maker: Vault tokens, AWS key ids, GitHub and Slack tokens, PEM blocks, JWTs. */
const MARKS: readonly RegExp[] = [
  /^(hvs|hvb|hvr)\./,
  /^(AKIA|ASIA)[A-Z0-9]{12,}/,
  /^(ghp|gho|ghs|ghu|github_pat)_/,
  /^xox[abprs]-/,
  /-----BEGIN [A-Z ]*(PRIVATE KEY|CERTIFICATE)-----/,
  /^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\./,
];

/** Tells whether a text looks like a credential. A guess: it knows those that can be told by their start. */
export function looksLikeSecret(text: string): boolean {
  const trimmed = text.trim();
  return MARKS.some((mark) => mark.test(trimmed));
}
