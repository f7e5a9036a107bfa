import type { ResourceType } from '../../sdk/index.ts';

/** API group and version of the kinds this service ships with. */
const SHIPPED = { group: 'homeostat.io', version: 'v1alpha1' } as const;

/** Environments: one namespace each, with what a team needs in it. */
export const ENVIRONMENTS: ResourceType = {
  ...SHIPPED,
  kind: 'Environment',
  plural: 'environments',
  namespaced: true,
};

/** ClusterConfigs: what Environments may do, and what each of them gets. */
export const CLUSTER_CONFIGS: ResourceType = {
  ...SHIPPED,
  kind: 'ClusterConfig',
  plural: 'clusterconfigs',
  namespaced: false,
};

/** TeamConfigs: who a team is. */
export const TEAM_CONFIGS: ResourceType = { ...SHIPPED, kind: 'TeamConfig', plural: 'teamconfigs', namespaced: false };

/** MaintenanceWindows: when objects are left as they are. */
export const MAINTENANCE_WINDOWS: ResourceType = {
  ...SHIPPED,
  kind: 'MaintenanceWindow',
  plural: 'maintenancewindows',
  namespaced: false,
};

/** DatabaseBackups: what is backed up, when and for how long. */
export const DATABASE_BACKUPS: ResourceType = {
  ...SHIPPED,
  kind: 'DatabaseBackup',
  plural: 'databasebackups',
  namespaced: true,
};

/** Field manager of an Environment's namespace and children: the name of the kind's controller. */
export const FIELD_MANAGER = 'environment';

/** VaultPolicies: what a namespace's applications may do in Vault. */
export const VAULT_POLICIES: ResourceType = {
  ...SHIPPED,
  kind: 'VaultPolicy',
  plural: 'vaultpolicies',
  namespaced: true,
};

/** VaultApps: which service accounts log in to Vault, and with which policies. */
export const VAULT_APPS: ResourceType = { ...SHIPPED, kind: 'VaultApp', plural: 'vaultapps', namespaced: true };
