import type { Kind } from '../sdk/index.ts';
import { clusterConfigKind } from './clusterconfig/index.ts';
import { databaseBackupKind } from './databasebackup/index.ts';
import { environmentKind } from './environment/index.ts';
import { maintenanceWindowKind } from './maintenancewindow/index.ts';
import { teamConfigKind } from './teamconfig/index.ts';
import { vaultAppKind } from './vaultapp/index.ts';
import { vaultPolicyKind } from './vaultpolicy/index.ts';

/** The kinds this service ships with. A kind refers only to kinds before it, so samples can be applied in this order. */
export const kinds: readonly Kind[] = [
  clusterConfigKind,
  teamConfigKind,
  environmentKind,
  vaultPolicyKind,
  vaultAppKind,
  maintenanceWindowKind,
  databaseBackupKind,
];
