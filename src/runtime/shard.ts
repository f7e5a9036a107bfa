import { formatKey, type ObjectKey } from '../base/resource.ts';
import { isDnsLabel } from '../rules/dns-names.ts';

/** What one instance was told to reconcile. */
export type ShardDeclaration =
  | { readonly type: 'all' }
  | { readonly type: 'stage'; readonly stage: string }
  /** The common instance: objects without a stage, and those of every stage but these. */
  | { readonly type: 'rest'; readonly except: readonly string[] }
  /** `index` counts from 1. */
  | { readonly type: 'part'; readonly index: number; readonly of: number };

/**
 * Names who may work on an object; each has one Lease. `common` is the default: an object that names no shard belongs to whoever holds
 * the common Lease.
 */
export type ShardName = string;

/** The shard of whoever reconciles what nobody else does, and of everything where nothing is sharded. */
export const COMMON: ShardName = 'common';

const COMMON_LEASE = 'homeostat';

/** Label of a stage's objects, which admission keeps equal to their spec. */
export const STAGE_LABEL = 'homeostat.io/stage';

/** The shard of a stage. */
export function stageShard(stage: string): ShardName {
  return `stage-${stage}`;
}

/** The shard that an instance is. */
export function shardOf(declaration: ShardDeclaration): ShardName {
  switch (declaration.type) {
    case 'all':
    case 'rest':
      return COMMON;
    case 'stage':
      return stageShard(declaration.stage);
    case 'part':
      // The count is part of the name: from 3 parts to 5, equal names would mean other objects.
      return `shard-${declaration.index}-of-${declaration.of}`;
  }
}

/** Whether an instance does, of all that are meant to run together, what is to be done once: it audits, counts, and keeps certificates. */
export function actsForAll(declaration: ShardDeclaration): boolean {
  return declaration.type === 'part' ? declaration.index === 1 : declaration.type !== 'stage';
}

/** Whether a text is the name of a shard that an instance could be. */
export function isShard(text: string): boolean {
  const [, stage, index, of] = /^(?:stage-(.+)|shard-(\d+)-of-(\d+))$/.exec(text) ?? [];
  if (stage !== undefined) return isStage(stage);
  return text === COMMON || parsePart(`${index}/${of}`) !== undefined;
}

/** Name of a shard's Lease. */
export function leaseOf(shard: ShardName): string {
  return shard === COMMON ? COMMON_LEASE : `${COMMON_LEASE}-${shard}`;
}

/** Whether a name is that of some shard's Lease, whether such a shard can be or not. */
export function isLeaseOfShard(name: string): boolean {
  return name === COMMON_LEASE || name.startsWith(`${COMMON_LEASE}-`);
}

/** Whether an instance is meant to reconcile an object. `stage` is that of the object, `undefined` where it has none. */
export function selects(declaration: ShardDeclaration, key: ObjectKey, stage: string | undefined): boolean {
  switch (declaration.type) {
    case 'all':
      return true;
    case 'stage':
      return stage === declaration.stage;
    case 'rest':
      return stage === undefined || !declaration.except.includes(stage);
    case 'part':
      return fnv1a(formatKey(key)) % declaration.of === declaration.index - 1;
  }
}

/**
 * The shards whose Leases an instance must hold to work on an object it selects. One that reconciles everything holds the stage's as
 * well, so that an instance of that stage and it exclude each other.
 */
export function neededShards(declaration: ShardDeclaration, stage: string | undefined): readonly ShardName[] {
  const own = shardOf(declaration);
  return declaration.type === 'all' && stage !== undefined ? [own, stageShard(stage)] : [own];
}

/** The flag that makes an instance what it is; `everything` where there is none. */
export function formatDeclaration(declaration: ShardDeclaration): string {
  switch (declaration.type) {
    case 'all':
      return 'everything';
    case 'stage':
      return `--stage=${declaration.stage}`;
    case 'rest':
      return `--stage-not=${declaration.except.join(',')}`;
    case 'part':
      return `--shard=${declaration.index}/${declaration.of}`;
  }
}

/** Reads what {@link formatDeclaration} wrote; `undefined` for anything else. */
export function parseDeclaration(text: string): ShardDeclaration | undefined {
  if (text === 'everything') return { type: 'all' };
  const [flag, value = ''] = text.split('=');
  if (flag === '--stage' && isStage(value)) return { type: 'stage', stage: value };
  if (flag === '--stage-not') return parseRest(value);
  return flag === '--shard' ? parsePart(value) : undefined;
}

/** Reads a list of stages, separated by commas; `undefined` where one is no stage or is there twice. */
export function parseRest(text: string): ShardDeclaration | undefined {
  const except = text.split(',').map((stage) => stage.trim());
  if (!except.every(isStage) || new Set(except).size < except.length) return undefined;
  return { type: 'rest', except: except.toSorted() };
}

/** Reads `1/3`; `undefined` where that is no part of a whole. */
export function parsePart(text: string): ShardDeclaration | undefined {
  const match = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text);
  const [index, of] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && of >= 2 && index <= of ? { type: 'part', index, of } : undefined;
}

/** Whether a text can be a stage: a DNS label. */
export function isStage(text: string): boolean {
  return isDnsLabel(text);
}

/** FNV-1a, 32 bits, over the UTF-8 of a text: equal in every process and every version. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
