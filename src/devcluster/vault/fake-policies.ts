import { describeProblem } from '../../kinds/vault/policy-tree.ts';
import { parsePolicy } from '../../kinds/vault/parse-policy.ts';
import { ABSENT, failure, json, NO_CONTENT, type Reply } from './reply.ts';

/** Policies that Vault itself keeps. */
const BUILT_IN: readonly string[] = ['root', 'default'];

/** `sys/policies/acl` in memory, as vault/logical_system.go has it. */
export class FakePolicies {
  readonly #texts = new Map<string, string>([['default', '# the default policy\n']]);

  /** Names that are there, sorted. */
  get names(): readonly string[] {
    return [...this.#texts.keys()].toSorted();
  }

  /** The text of a policy. */
  get(name: string): string | undefined {
    return this.#texts.get(name.toLowerCase());
  }

  /** Puts a text there as somebody else would. */
  set(name: string, text: string): void {
    this.#texts.set(name.toLowerCase(), text);
  }

  /** One request below `sys/policies/acl/`. */
  serve(method: string, given: string, body: Readonly<Record<string, unknown>>): Reply {
    const name = decodeURIComponent(given).trim().toLowerCase();
    switch (method) {
      case 'GET': {
        const policy = this.#texts.get(name);
        return policy === undefined ? ABSENT : json(200, { data: { name, policy } });
      }
      case 'DELETE':
        if (BUILT_IN.includes(name)) return failure(400, `cannot delete "${name}" policy`);
        this.#texts.delete(name);
        return NO_CONTENT;
      default:
        return this.#write(name, given, body);
    }
  }

  #write(name: string, given: string, body: Readonly<Record<string, unknown>>): Reply {
    const sent = typeof body['policy'] === 'string' ? body['policy'] : '';
    if (sent === '') return failure(400, "'policy' parameter not supplied or empty");
    if (name === 'root') return failure(400, 'cannot update "root" policy');
    const text = isBase64(sent) ? Buffer.from(sent, 'base64').toString('utf8') : sent;
    const [problem] = parsePolicy(text).problems;
    if (problem !== undefined) return failure(400, `failed to parse policy: ${describeProblem(problem)}`);
    this.#texts.set(name, text);
    return given === name ? NO_CONTENT : json(200, { warnings: [`policy name was converted to ${name}`] });
  }
}

/** Vault decodes whatever happens to be valid base64. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
