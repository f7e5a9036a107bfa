import { type FlagTable, type FlagValues, parseArguments, refuseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { systemClock } from '../app/system-ports.ts';
import { HomeostatError } from '../base/errors.ts';
import { defaultManifestSettings } from '../manifests/settings.ts';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, withCluster } from './cluster-client.ts';
import type { CommandContext } from './command.ts';
import { type Inventory, takeInventory } from './installed-objects.ts';
import { isEmpty, planLines, protectedObjects, refText, type UninstallScope } from './uninstall-plan.ts';
import { carryOut, type UninstallOptions } from './uninstall-steps.ts';
import { verifyLeader } from './verify-leader.ts';
import { version } from './version.ts';

const FLAGS = {
  yes: { type: 'boolean', default: 'false', description: 'Do it; without this, only show what would be done' },
  crds: { type: 'boolean', default: 'false', description: 'Remove the definitions too' },
  'keep-objects': {
    type: 'boolean',
    default: 'false',
    description: 'Leave objects of our kinds as they are, with their finalizers',
  },
  'remove-finalizers': {
    type: 'boolean',
    default: 'false',
    description: 'Do not wait for the controllers; what objects keep elsewhere stays behind',
  },
  timeout: { type: 'duration', default: '5m', description: 'How long to wait for objects to go, each kind by itself' },
  ...NAMESPACE_FLAG,
  ...CLUSTER_FLAGS,
} as const satisfies FlagTable;

/** The installation must not be removed as it is. Code `HOMEOSTAT_UNINSTALL_REFUSED`; nothing has been changed. */
export class UninstallRefused extends HomeostatError {
  constructor(message: string) {
    super('HOMEOSTAT_UNINSTALL_REFUSED', `${message}. Nothing has been changed`);
    this.name = 'UninstallRefused';
  }
}

/** Help of `homeostat uninstall`. */
export function usage(): string {
  return [
    'Usage: homeostat uninstall [--yes] [--crds] [flags]',
    '',
    'Shows what would be removed from which cluster; with --yes removes it, in an order in which nothing ever waits for what is',
    'gone: webhook configurations, objects (their controllers clean up), Deployments, definitions with --crds, and the rest.',
    'May be stopped and run again at any point. Exit code 0 when all is gone, 1 when something holds, which is named.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat uninstall`. */
export async function command(context: CommandContext): Promise<number> {
  const { kinds, argv, env, terminal, signal } = context;
  const { flags, words } = parseArguments(FLAGS, argv, env);
  refuseArguments('uninstall', words);
  const scope = readScope(flags);
  await withCluster(context, flags, 'uninstall', async ({ client, description }) => {
    const options: UninstallOptions = {
      client,
      kinds,
      scope,
      signal,
      namespace: flags.namespace,
      timeoutMs: flags.timeout,
      clock: systemClock,
      tell: (line) => terminal.out(line),
    };
    const inventory = await takeInventory(options);
    if (isEmpty(inventory)) return terminal.out(`Nothing of Homeostat is installed in ${description}.`);
    terminal.out(terminal.style('bold', `To be removed from ${description}:`));
    for (const line of planLines(inventory, scope)) terminal.out(line);
    await refuseDangers(inventory, options);
    if (!flags.yes) return terminal.out('Nothing has been changed. To do this, run it again with --yes.');
    await carryOut(inventory, options);
    return terminal.out(`Homeostat is gone from ${description}.`);
  });
  return 0;
}

function readScope(flags: FlagValues<typeof FLAGS>): UninstallScope {
  const { crds, 'keep-objects': keepObjects, 'remove-finalizers': removeFinalizers } = flags;
  if (keepObjects && crds)
    throw new UsageError('Flags --keep-objects and --crds: deleting a definition deletes its objects');
  if (keepObjects && removeFinalizers)
    throw new UsageError('Flags --keep-objects and --remove-finalizers exclude each other');
  return { crds, keepObjects, removeFinalizers };
}

/** What would destroy what somebody wants to keep, or would never end. @throws UninstallRefused */
async function refuseDangers(inventory: Inventory, options: UninstallOptions): Promise<void> {
  const { keepObjects, removeFinalizers } = options.scope;
  if (keepObjects) return refuseToLose(inventory);
  const [kept] = protectedObjects(inventory);
  if (kept !== undefined) {
    throw new UninstallRefused(
      `${refText(kept)} has spec.preventDeletion; set it to false, or leave the objects with --keep-objects`,
    );
  }
  const [held] = inventory.objects.filter(({ object }) => (object.metadata.finalizers ?? []).length > 0);
  if (held === undefined || removeFinalizers) return;
  const leader = await verifyLeader({ ...options, settings: settingsOf(options) });
  if (leader.state === 'well') return;
  throw new UninstallRefused(
    `No controller runs that could let go of ${refText(held)} (${leader.text}); bring the Deployment back, or give --remove-finalizers`,
  );
}

/** The namespace goes with everything in it, kept objects of ours too. @throws UninstallRefused */
function refuseToLose({ namespace, objects }: Inventory): void {
  const [lost] = objects.filter(({ key }) => namespace !== undefined && key.namespace === namespace.key.name);
  if (lost === undefined) return;
  throw new UninstallRefused(
    `${refText(lost)} is to be kept and lies in the namespace that goes; create it in another one and delete it here, or leave out --keep-objects`,
  );
}

function settingsOf({ namespace }: UninstallOptions) {
  return { ...defaultManifestSettings(version()), namespace };
}
