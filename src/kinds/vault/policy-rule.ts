/** What a policy lets a token do on one path, or keeps it from doing. */
export interface PolicyRule {
  /** Pattern without a leading slash: `+` stands for one segment, `*` at the end for any rest. */
  readonly path: string;
  /** Sorted, each once; `deny` stands alone, since it swallows the others. */
  readonly capabilities: readonly string[];
  /** Names in lower case; values that a request may give. */
  readonly allowedParameters?: ParameterValues;
  readonly deniedParameters?: ParameterValues;
  readonly requiredParameters?: readonly string[];
  readonly minWrappingSeconds?: number;
  readonly maxWrappingSeconds?: number;
}

/** Values by parameter; an empty list stands for any value. */
export type ParameterValues = Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** Capabilities of Vault's policies that this service knows. */
export const CAPABILITIES = ['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo', 'deny'] as const;

/** The one that takes away instead of giving. */
export const DENY = 'deny';

/** Capabilities as a rule holds them: sorted, once, `deny` alone. */
export function capabilitySet(capabilities: readonly string[]): readonly string[] {
  return capabilities.includes(DENY) ? [DENY] : [...new Set(capabilities)].toSorted();
}

/** Whether a rule can grant nothing. */
export function isOnlyDenial({ capabilities }: PolicyRule): boolean {
  return capabilities.includes(DENY);
}

/** Vault strips one leading slash: paths begin after the one of its API. */
export function withoutLeadingSlash(path: string): string {
  return path.startsWith('/') ? path.slice(1) : path;
}

/** What is wrong with a pattern by itself, in one clause; `undefined` when nothing is. */
export function pathProblem(pattern: string): string | undefined {
  const path = withoutLeadingSlash(pattern);
  const quoted = JSON.stringify(pattern);
  if (path === '') return 'a path must not be empty';
  if (path.includes('+*')) return `${quoted} holds "+*", which Vault forbids`;
  const star = path.indexOf('*');
  if (star >= 0 && star < path.length - 1) {
    return `${quoted} holds "*" before its end, where Vault takes it for a star; "+" stands for one segment`;
  }
  if (path.startsWith('/') || path.includes('//')) return `${quoted} has an empty segment`;
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) return `${quoted} has a dot segment`;
  const odd = /[?#%\u0000-\u001f\u007f]/.exec(path);
  return odd === null ? undefined : `${quoted} holds ${JSON.stringify(odd[0])}, which no path of Vault has`;
}
