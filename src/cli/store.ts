import { parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { systemClock } from '../app/system-ports.ts';
import { openStore } from '../adapters/object-store/open-store.ts';
import type { CommandContext } from './command.ts';
import { type StoreTask, storeActions } from './store-actions.ts';
import { required, STORE_FLAGS } from './store-flags.ts';

/** Help of `homeostat store`. */
export function usage(): string {
  return [
    'Usage: homeostat store TASK --store URL --folder PATH [flags]',
    '',
    'Tasks:',
    ...Object.entries(storeActions).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`),
    '',
    'Credentials of a bucket come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from the identity of the Pod.',
    '',
    flagHelp(STORE_FLAGS),
  ].join('\n');
}

/** `homeostat store`: what Jobs of backups and people who restore do with a store. */
export async function command({ argv, env, terminal, signal }: CommandContext): Promise<number> {
  const { flags, words } = parseArguments(STORE_FLAGS, argv, env);
  const [name = '', ...rest] = words;
  const action = Object.hasOwn(storeActions, name) ? storeActions[name] : undefined;
  if (action === undefined || rest.length > 0) {
    throw new UsageError(
      `homeostat store needs one of ${Object.keys(storeActions).join(', ')}; got "${words.join(' ')}"`,
    );
  }
  const { region, endpoint, 'path-style': pathStyle } = flags;
  const folder = `${required(flags, 'folder').replace(/\/+$/, '')}/`;
  const opened = await openStore({
    url: required(flags, 'store'),
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  });
  try {
    const task: StoreTask = { store: opened.store, folder, flags, terminal, signal, now: () => systemClock.now() };
    return await action.run(task);
  } finally {
    opened.close();
  }
}
