import { type Finding, invalid, type KubeObject } from '../../sdk/index.ts';

/** A name in Vault is made of three DNS labels; a name with dots of its own could be read in two ways. */
export function* vaultNameFindings({ metadata }: KubeObject): Generator<Finding> {
  const { name } = metadata;
  if (name.length <= 63 && !name.includes('.')) return;
  yield invalid(
    ['metadata', 'name'],
    name,
    'must be a DNS label of at most 63 characters: it is part of a name in Vault',
  );
}
