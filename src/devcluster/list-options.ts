import type { Violation } from '../base/violation.ts';
import { unsupported, violation } from './builtin-strategies.ts';
import { isTrue } from './request-info.ts';
import { badRequest, expired, invalid } from './status-error.ts';

/** The options of a list or watch (metav1.ListOptions), checked. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continueToken: string;
  /** Undefined when none was given. */
  readonly revision: number | undefined;
  readonly match: '' | 'NotOlderThan' | 'Exact';
  readonly sendInitialEvents: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** Where a paged list goes on: after this key, in the state of this revision. */
export interface ContinueToken {
  readonly revision: number;
  /** Key of the last object that was shown. */
  readonly after: string;
}

const OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' };

/** Reads the query of a list or watch. Throws 400 or 422 in the API server's words. */
export function readListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const text = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const initial = query.get('sendInitialEvents');
  const found = optionViolations({ text, match, watch, initial, continueToken: query.get('continue') ?? '' });
  if (found.length > 0) throw invalid(OPTIONS, '', found);
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: whole(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    revision: readRevision(text),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : '',
    sendInitialEvents: isTrue(initial),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: whole(query, 'timeoutSeconds'),
  };
}

interface Given {
  readonly text: string;
  readonly match: string;
  readonly watch: boolean;
  readonly initial: string | null;
  readonly continueToken: string;
}

function optionViolations({ text, match, watch, initial, continueToken }: Given): readonly Violation[] {
  const forbidden = (field: string, detail: string): Violation =>
    violation('FieldValueForbidden', [field], undefined, detail);
  const field = 'resourceVersionMatch';
  if (initial !== null && !watch) return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (isTrue(initial) && match !== 'NotOlderThan') {
    return [forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')];
  }
  if (match === '') return [];
  if (watch) {
    return initial === null
      ? [forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')]
      : [];
  }
  if (text === '') return [forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided')];
  if (continueToken !== '') return [forbidden(field, 'resourceVersionMatch is forbidden when continue is provided')];
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [unsupported([field], match, ['Exact', 'NotOlderThan', ''])];
  if (match === 'Exact' && text === '0') {
    return [forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];
  }
  return [];
}

function readRevision(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const shown = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`,
  );
}

function whole(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Writes a continue token. */
export function encodeContinue({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\u0000` })).toString(
    'base64url',
  );
}

/** Reads a continue token. Throws 400 for text that is none. */
export function decodeContinue(token: string): ContinueToken {
  try {
    // The token is ours; its members are checked below.
    const value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as { rv?: unknown; start?: unknown };
    if (typeof value.rv === 'number' && typeof value.start === 'string') {
      return { revision: value.rv, after: value.start.replace('\u0000', '') };
    }
  } catch {
    // Falls through to the one refusal.
  }
  throw badRequest('invalid continue token: continue key is not valid: it was not made by this server');
}

/** 410 for a token whose revision has been compacted; its own token goes on with the newest state. */
export function expiredContinue(after: string): Error {
  const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start: `${after}\u0000` })).toString(
    'base64url',
  );
  const text =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return expired(text, { continue: token });
}
