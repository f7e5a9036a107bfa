/** Policies that Vault keeps itself; newer servers add to them (hashicorp/vault 2.0: default-ceiling). */
const RESERVED: readonly string[] = ['root', 'default', 'default-ceiling', 'response-wrapping', 'control-group'];

/** Whether a name is one of Vault's own policies, which nobody here writes, deletes or binds. */
export function isReservedPolicy(name: string): boolean {
  return RESERVED.includes(name);
}
