import type { ObserveContext, Pause } from '../../sdk/index.ts';
import { describeOpenWindow } from '../../sdk/index.ts';
import type { DatabaseBackup } from './schema.ts';

/** Why no backup is started, if so; what runs goes on. */
export function suspensionOf({ object, maintenance }: ObserveContext<DatabaseBackup>): Pause | undefined {
  if (object.spec.suspend) {
    return { condition: 'Suspended', reason: 'SpecSuspended', message: 'spec.suspend is true' };
  }
  const { SuspendBackups: window } = maintenance.open;
  if (window === undefined) return undefined;
  return { condition: 'Suspended', reason: 'MaintenanceWindow', message: describeOpenWindow(window) };
}
