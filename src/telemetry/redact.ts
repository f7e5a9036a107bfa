const MASK = '[redacted]';

/** What looks like a credential, whatever message it came in: bearer tokens, JSON web tokens, private keys, Vault tokens. */
const PATTERNS: readonly RegExp[] = [
  /\bBearer\s+[A-Za-z0-9._~+/=-]+/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /\bhv[sbr]\.[A-Za-z0-9_-]{8,}/g,
];

/** Longest text that is kept: an answer of the API server can quote a whole object. */
const LIMIT_CHARACTERS = 4096;

/** Masks credentials in a text and cuts it at 4096 characters. The second net: the first is not to pass such text at all. */
export function redact(text: string): string {
  const cut = text.length > LIMIT_CHARACTERS ? `${text.slice(0, LIMIT_CHARACTERS)}…` : text;
  return PATTERNS.reduce((masked, pattern) => masked.replace(pattern, MASK), cut);
}
