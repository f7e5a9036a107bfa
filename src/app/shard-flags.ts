import { isStage, parsePart, parseRest, type ShardDeclaration } from '../runtime/shard.ts';
import { type FlagTable, type FlagValues, UsageError } from './flag.ts';

/** Flags that say which objects an instance reconciles. */
export const SHARD_FLAGS = {
  stage: {
    type: 'text',
    placeholder: 'STAGE',
    description: 'Reconcile the objects of this stage alone, and answer no webhooks',
  },
  'stage-not': {
    type: 'text',
    placeholder: 'STAGE,…',
    description: 'Reconcile what is of none of these stages: each has an instance of its own',
  },
  shard: {
    type: 'text',
    placeholder: 'I/N',
    description: 'Reconcile one of N parts of all objects, told apart by their names',
  },
} as const satisfies FlagTable;

const NAMES = ['stage', 'stage-not', 'shard'] as const;

/** Which objects these flags mean. @throws UsageError for several of them, or one that cannot be read */
export function readShardFlags(
  flags: FlagValues<typeof SHARD_FLAGS> & { readonly 'leader-elect': boolean },
): ShardDeclaration {
  const given = NAMES.filter((name) => flags[name] !== undefined);
  const [name, second] = given;
  if (name === undefined) return { type: 'all' };
  if (second !== undefined) {
    throw new UsageError(`Flags --${name} and --${second} exclude each other: an instance has one kind of share`);
  }
  if (!flags['leader-elect']) {
    throw new UsageError(`Flag --${name} needs leader election: its Leases keep two instances from one object`);
  }
  return readShare(name, flags[name] ?? '');
}

function readShare(name: (typeof NAMES)[number], text: string): ShardDeclaration {
  switch (name) {
    case 'stage':
      if (!isStage(text)) {
        throw new UsageError(`Flag --stage: "${text}" is no stage; lower-case letters, digits and dashes, at most 63`);
      }
      return { type: 'stage', stage: text };
    case 'stage-not':
      return refuseUnread(
        parseRest(text),
        `Flag --stage-not: "${text}" is no list of stages such as dev,int; each is lower-case letters, digits and dashes, and there once`,
      );
    case 'shard':
      return refuseUnread(
        parsePart(text),
        `Flag --shard: "${text}" is no part such as 1/3; the first number is from 1 to the second, which is from 2 to 999`,
      );
  }
}

function refuseUnread(share: ShardDeclaration | undefined, message: string): ShardDeclaration {
  if (share === undefined) throw new UsageError(message);
  return share;
}
