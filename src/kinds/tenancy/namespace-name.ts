import { createHash } from 'node:crypto';

/** Longest name of a namespace, and longest value of a label. */
const MAX_NAME = 63;

/** How much of a long name is kept: what remains is a dash and eight digits of a hash. */
const KEPT_CHARACTERS = 54;

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Namespaces that no Environment may ever take, besides the one this service runs in. */
const ALWAYS_PROTECTED = ['default', 'kube-*'] as const;

/** What a name is computed from. */
export interface NameSource {
  /** Name and namespace of the Environment. */
  readonly name: string;
  readonly namespace: string;
  readonly team?: string;
  /** `spec.targetNamespace`. */
  readonly explicit?: string;
}

/** What the ClusterConfig says about names. */
export interface NamePolicy {
  readonly name: string;
  readonly template: string;
  readonly allowExplicit: boolean;
  readonly protectedNamespaces: readonly string[];
}

/** Why an Environment gets no namespace of this name. The reasons are those of the condition NamespaceNameComputed. */
export interface NameProblem {
  readonly reason: 'NameTooLong' | 'InvalidName' | 'ProtectedNamespace' | 'ExplicitNameNotAllowed';
  /** The name in question. */
  readonly name: string;
  readonly detail: string;
}

/**
 * The name of an Environment's namespace. A name from the template that is too long is cut and gets a hash of the Environment's
 * own name, so that two long names stay two names; an explicit name is taken as it is or refused.
 */
export function computeName(source: NameSource, policy: NamePolicy): string {
  if (source.explicit !== undefined) return source.explicit;
  const { namespace, name, team = '' } = source;
  const values: Readonly<Record<string, string>> = { namespace, name, team };
  const full = policy.template.replaceAll(
    /\{(namespace|name|team)\}/g,
    (_, placeholder: string) => values[placeholder] ?? '',
  );
  if (full.length <= MAX_NAME) return full;
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 8);
  return `${full.slice(0, KEPT_CHARACTERS)}-${hash}`;
}

/** What is wrong with a computed name; `undefined` when nothing is. */
export function nameProblem(
  name: string,
  source: NameSource,
  policy: NamePolicy,
  operatorNamespace?: string,
): NameProblem | undefined {
  if (source.explicit !== undefined && !policy.allowExplicit) {
    const detail = `ClusterConfig "${policy.name}" does not allow choosing the namespace`;
    return { reason: 'ExplicitNameNotAllowed', name, detail };
  }
  return (
    ownNameProblem(source.name) ??
    syntaxProblem(name) ??
    protectionProblem(name, policy.protectedNamespaces, operatorNamespace)
  );
}

/** The Environment's name is a label on all it makes, and a label holds less than a name may. */
function ownNameProblem(name: string): NameProblem | undefined {
  if (name.length <= MAX_NAME) return undefined;
  const detail = `the name is ${name.length} characters, at most ${MAX_NAME}: it becomes a label of the namespace`;
  return { reason: 'NameTooLong', name, detail };
}

/** What is wrong with a name whatever a ClusterConfig says. */
export function syntaxProblem(name: string): NameProblem | undefined {
  if (name.length > MAX_NAME) {
    const detail = `computed namespace "${name}" is ${name.length} characters, at most ${MAX_NAME}`;
    return { reason: 'NameTooLong', name, detail };
  }
  if (!DNS_LABEL.test(name)) {
    const detail = `computed namespace "${name}" must consist of lower case letters, digits and "-", and start and end with a letter or digit`;
    return { reason: 'InvalidName', name, detail };
  }
  return undefined;
}

/** Whether a name is protected: by this service, or by a pattern of the ClusterConfig. */
export function protectionProblem(
  name: string,
  patterns: readonly string[],
  operatorNamespace?: string,
): NameProblem | undefined {
  const all = [...ALWAYS_PROTECTED, ...(operatorNamespace === undefined ? [] : [operatorNamespace]), ...patterns];
  const pattern = all.find((one) => matchesPattern(name, one));
  if (pattern === undefined) return undefined;
  const by = pattern === name ? '' : ` by "${pattern}"`;
  return { reason: 'ProtectedNamespace', name, detail: `computed namespace "${name}" is protected${by}` };
}

/** Whether a pattern is one: a DNS label, or the start of one followed by `*`. */
export function isNamespacePattern(pattern: string): boolean {
  return /^[a-z0-9][-a-z0-9]*\*$/.test(pattern) || (pattern.length <= MAX_NAME && DNS_LABEL.test(pattern));
}

function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
