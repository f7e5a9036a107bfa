import {
  type Finding,
  forbidden,
  formatKey,
  type IndexDeclaration,
  type KubeObject,
  keyOf,
  type Lookup,
  type Unstructured,
} from '../../sdk/index.ts';
import { ENVIRONMENTS } from './own-resources.ts';

/** Users named in a refusal: enough to go and look, few enough to read. */
const NAMED = 5;

/**
 * Why an object that Environments refer to may not be deleted: names the first of them and tells how many there are. It rests on
 * those named, so that one that is gone by now refuses nothing.
 */
export function* inUseFindings(object: KubeObject, index: IndexDeclaration, lookup: Lookup): Generator<Finding> {
  const { name } = object.metadata;
  // Read live, one may refer to another by now.
  const users = lookup
    .byIndex<Unstructured>(ENVIRONMENTS, index.name, name)
    .filter((user) => index.values(user).includes(name));
  if (users.length === 0) return;
  const named = users
    .map(keyOf)
    .toSorted((one, other) => formatKey(one).localeCompare(formatKey(other)))
    .slice(0, NAMED);
  const count = users.length === 1 ? '1 Environment' : `${users.length} Environments`;
  const more = users.length > NAMED ? ` and ${users.length - NAMED} more` : '';
  const list = named.map(formatKey).join(', ');
  yield {
    ...forbidden([], `${object.kind} "${name}" is used by ${count}: ${list}${more}`),
    restsOn: named.map((key) => ({ type: ENVIRONMENTS, key })),
  };
}
