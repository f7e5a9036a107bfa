import { LIMIT_RANGES, type Manifest } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import { containerDefaults } from './limit-range-defaults.ts';
import type { Limit, LimitRangeItem } from './limit-range-schema.ts';
import { quantityTexts } from './quantity-schema.ts';

type Amounts = Readonly<Record<string, string>>;

/** One limit as it is sent. */
interface SentLimit {
  readonly type: Limit['type'];
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}

/** LimitRanges. */
export const limitRangeForm: ChildForm<LimitRangeItem> = {
  type: LIMIT_RANGES,
  manifest: ({ name, limits }, namespace) => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name, namespace },
    spec: { limits: limits.map(sentLimit) },
  }),
  normalise: normaliseLimitRange,
  quantities: ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'].map(
    (member) => `/spec/limits/*/${member}/*`,
  ),
};

function sentLimit({ type, max, min, default: limit, defaultRequest, maxLimitRequestRatio }: Limit): SentLimit {
  const amounts = { max, min, default: limit, defaultRequest, maxLimitRequestRatio };
  const sent = Object.entries(amounts).flatMap(([member, value]) =>
    value === undefined || Object.keys(value).length === 0 ? [] : [[member, quantityTexts(value)] as const],
  );
  return { type, ...Object.fromEntries(sent) };
}

/** Fills in what the API server does for containers. */
function normaliseLimitRange(manifest: Manifest): Manifest {
  // The manifest is one this file made.
  const { limits } = manifest['spec'] as { readonly limits: readonly SentLimit[] };
  return {
    ...manifest,
    spec: { limits: limits.map((limit) => (limit.type === 'Container' ? defaulted(limit) : limit)) },
  };
}

function defaulted(limit: SentLimit): SentLimit {
  return withoutEmptyMaps({ ...limit, ...containerDefaults(limit) });
}

function withoutEmptyMaps({ default: limits, defaultRequest, ...limit }: SentLimit): SentLimit {
  return {
    ...limit,
    ...(limits === undefined || Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(defaultRequest === undefined || Object.keys(defaultRequest).length === 0 ? {} : { defaultRequest }),
  };
}
