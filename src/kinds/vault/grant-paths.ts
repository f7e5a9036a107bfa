import { pathProblem } from './policy-rule.ts';

/** What the placeholders of a grant stand for; absent where the namespace belongs to no such thing. */
export interface GrantValues {
  readonly namespace: string;
  readonly team?: string;
  readonly environment?: string;
}

const PLACEHOLDER = /\{(namespace|team|environment)\}/g;

/** What is wrong with a path of a grant, in one clause; `undefined` when nothing is. */
export function grantPathProblem(path: string): string | undefined {
  // A DNS label in the place of each: what is left of a brace is none of ours.
  const filled = path.replaceAll(PLACEHOLDER, 'x');
  if (/[{}]/.test(filled))
    return 'placeholders are {namespace}, {team} and {environment}, and there are no other braces';
  if (path.startsWith('/')) return 'a path begins without a slash';
  return pathProblem(filled);
}

/** The path for one namespace; `undefined` where it names what the namespace does not have, so that it grants nothing there. */
export function grantedPath(path: string, values: GrantValues): string | undefined {
  let lacks = false;
  const filled = path.replaceAll(PLACEHOLDER, (_, name: keyof GrantValues) => {
    lacks ||= values[name] === undefined;
    return values[name] ?? '';
  });
  return lacks ? undefined : filled;
}
