import type { PlantedFault } from './planted-fault.ts';

/** Faults of single kinds. */
export const kindFaults: readonly PlantedFault[] = [
  {
    name: 'a namespace is adopted by its name',
    edits: [
      {
        file: 'kinds/environment/ensure-namespace.ts',
        find: "return environment.spec.adoptionPolicy === 'IfConsented' && consent === formatKey(keyOf(environment));",
        replace: 'void consent;\n  return true;',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a namespace that still goes counts as gone',
    edits: [
      {
        file: 'kinds/environment/remove-namespace.ts',
        find: 'if (own !== undefined) {',
        replace: 'if (own !== undefined && own.metadata.deletionTimestamp === undefined) {',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'an orphaned namespace keeps the marks of its owner',
    edits: [
      {
        file: 'kinds/environment/remove-namespace.ts',
        find: '  await removeKeys(api, live, keys, signal);\n',
        replace: '  void removeKeys;\n  void [api, keys, signal];\n',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a namespace is deleted although the spec orphans it',
    edits: [
      {
        file: 'kinds/environment/remove-namespace.ts',
        find: "const stays = object.spec.deletionPolicy === 'Orphan' || isAdopted(own);",
        replace: 'const stays = isAdopted(own);',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a namespace is found by its labels alone',
    edits: [
      {
        file: 'kinds/environment/owned-namespace.ts',
        find: 'const annotated = lookup.byIndex<NamespaceObject>(NAMESPACES, BY_OWNER_UID.name, owner.metadata.uid);',
        replace: 'const annotated: readonly NamespaceObject[] = [];',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a changed ClusterConfig wakes no Environment',
    edits: [
      {
        file: 'kinds/environment/watches.ts',
        find: '{ type: CLUSTER_CONFIGS, toKeys: ({ metadata }, lookup) => referrers(lookup, BY_CLUSTER_CONFIG.name, metadata.name) },',
        replace: '{ type: CLUSTER_CONFIGS, toKeys: () => [] },',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'a changed TeamConfig wakes no Environment',
    edits: [
      {
        file: 'kinds/environment/watches.ts',
        find: '{ type: TEAM_CONFIGS, toKeys: ({ metadata }, lookup) => referrers(lookup, BY_TEAM.name, metadata.name) },',
        replace: '{ type: TEAM_CONFIGS, toKeys: () => [] },',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'keys of a namespace that a spec no longer asks for stay',
    edits: [
      {
        file: 'kinds/environment/write-namespace.ts',
        find: '  if (count(outdated) > 0) await removeKeys(api, live, outdated, signal);\n',
        replace: '',
      },
    ],
    subjects: ['Environment'],
  },
  {
    name: 'the number of Environments is counted once',
    edits: [
      {
        file: 'kinds/clusterconfig/pipeline.ts',
        find: '    return noop({ environments: users.length }, words);',
        replace:
          '    const before = (object as { status?: { environments?: number } }).status?.environments;\n    return noop({ environments: before ?? users.length }, words);',
      },
    ],
    subjects: ['ClusterConfig'],
  },
  {
    name: 'a cleanup that failed is not started anew',
    edits: [
      {
        file: 'kinds/databasebackup/remove-backups.ts',
        find: '        await deleteOwn(context, JOBS, name);\n',
        replace: '        void JOBS;\n',
      },
    ],
    subjects: ['DatabaseBackup'],
  },
  {
    name: 'a backup is let go while its cleanup still runs',
    edits: [
      {
        file: 'kinds/databasebackup/remove-backups.ts',
        find: "    case 'active':\n      return waiting('Progressing', `Job ${name} deletes the stored backups`);",
        replace: "    case 'active':\n      return done(undefined);",
      },
    ],
    subjects: ['DatabaseBackup'],
  },
  {
    name: 'the cleanup is started under a new name each time',
    edits: [
      {
        file: 'kinds/databasebackup/remove-backups.ts',
        find: 'const name = cleanupJobName(object);',
        replace: 'const name = `${cleanupJobName(object)}-${context.now}`;',
      },
    ],
    subjects: ['DatabaseBackup'],
  },
  {
    name: 'a Job is deleted twice',
    edits: [
      {
        file: 'kinds/databasebackup/delete-own.ts',
        find: "uid: cached.metadata.uid, propagationPolicy: 'Background', signal });\n",
        replace:
          "uid: cached.metadata.uid, propagationPolicy: 'Background', signal });\n    await api.client.delete(type, key, { propagationPolicy: 'Background', signal });\n",
      },
    ],
    subjects: ['DatabaseBackup'],
  },
  {
    name: 'a policy stays in Vault when its object goes',
    edits: [
      {
        file: 'kinds/vault/remove-from-vault.ts',
        find: '      await vault.remove(at, signal);\n',
        replace: '',
      },
    ],
    subjects: ['VaultPolicy'],
  },
  {
    name: 'a cleanup that Vault refuses to do counts as done',
    edits: [
      {
        file: 'kinds/vault/remove-from-vault.ts',
        find: '      throw error;\n    }\n    const note',
        replace: '      return noop(undefined);\n    }\n    const note',
      },
    ],
    subjects: ['VaultPolicy'],
  },
  {
    name: 'a policy is written before its name is noted',
    edits: [
      {
        file: 'kinds/vaultpolicy/sync-policy.ts',
        find: '  if (object.status?.policyName !== name) return nameNotNoted();\n',
        replace: '  void nameNotNoted;\n',
      },
    ],
    subjects: ['VaultPolicy'],
  },
  {
    name: 'a policy with other rules counts as the same',
    edits: [
      {
        file: 'kinds/vaultpolicy/sync-policy.ts',
        find: 'if (isOurs && meansTheSame(text, rules)) {',
        replace: 'void [meansTheSame, rules];\n    if (isOurs) {',
      },
    ],
    subjects: ['VaultPolicy'],
  },
  {
    name: 'what changes in Vault is never looked at again',
    edits: [
      {
        file: 'steps/reconciler.ts',
        find: 'const recheckMs = this.#pipeline.rechecks === true ? this.#deps.recheckMs?.() : undefined;',
        replace: 'const recheckMs = undefined;',
      },
    ],
    subjects: ['VaultPolicy'],
  },
  {
    name: 'a sealed Vault is not asked again',
    edits: [
      {
        file: 'kinds/vault/vault-outcome.ts',
        find: "return waiting('VaultSealed', message, { requeueAfterMs: outageMs, event: 'VaultSealed' });",
        replace: "return waiting('VaultSealed', message, { event: 'VaultSealed' });",
      },
    ],
    subjects: ['VaultPolicy', 'VaultApp'],
  },
  {
    name: 'a change of a policy wakes no app',
    edits: [
      {
        file: 'kinds/vaultapp/watches.ts',
        find: '      !jsonEqual(readPolicyState(before), readPolicyState(after)),',
        replace: '      void readPolicyState,',
      },
    ],
    subjects: ['VaultApp'],
  },
  {
    name: 'a role keeps the policies that the spec has dropped',
    edits: [
      {
        file: 'kinds/vaultapp/sync-role.ts',
        find: 'const policies = toBind(resolved, bound);',
        replace: 'const policies = [...new Set([...resolved.wanted, ...bound])];',
      },
    ],
    subjects: ['VaultApp'],
  },
  {
    name: 'a role without policies stays in Vault',
    edits: [
      {
        file: 'kinds/vaultapp/sync-role.ts',
        find: '      if (live !== undefined) await vault.remove(path, signal);\n',
        replace: '',
      },
    ],
    subjects: ['VaultApp'],
  },
  {
    name: 'a changed grant wakes no policy',
    edits: [
      {
        file: 'kinds/vault/grant-watches.ts',
        find: 'changed: (before, after) => !jsonEqual(grantsOf(before), grantsOf(after)),\n      toKeys',
        replace: 'changed: () => false,\n      toKeys',
      },
    ],
    subjects: ['VaultPolicy', 'VaultApp'],
  },
  {
    name: 'a message repeats the token of Vault',
    edits: [
      {
        file: 'adapters/vault/vault-client.ts',
        find: 'throw answerError(call.what, answer);',
        replace: 'throw answerError(`${call.what} with ${call.token ?? ""}`, answer);',
      },
    ],
    subjects: ['VaultPolicy', 'VaultApp'],
  },
];
