/** Amounts by resource of one limit, in whatever form they are. */
export interface LimitAmounts<Amount> {
  readonly max?: Readonly<Record<string, Amount>>;
  readonly min?: Readonly<Record<string, Amount>>;
  readonly default?: Readonly<Record<string, Amount>>;
  readonly defaultRequest?: Readonly<Record<string, Amount>>;
}

/** What the API server makes of the defaults of containers (core/v1 defaults, SetDefaults_LimitRangeItem), in its order. */
export function containerDefaults<Amount>(
  limit: LimitAmounts<Amount>,
): Required<Pick<LimitAmounts<Amount>, 'default' | 'defaultRequest'>> {
  const limits = { ...limit.max, ...limit.default };
  return { default: limits, defaultRequest: { ...limit.min, ...limits, ...limit.defaultRequest } };
}
