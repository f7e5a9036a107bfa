import * as fc from 'fast-check';
import type { LimitRangeItem } from '../../src/kinds/tenancy/limit-range-schema.ts';
import type { NetworkPolicyItem } from '../../src/kinds/tenancy/network-policy-schema.ts';
import type { Quantity } from '../../src/kinds/tenancy/quantity-schema.ts';
import type { ResourceQuotaItem } from '../../src/kinds/tenancy/resource-quota-schema.ts';
import type { RoleBindingItem } from '../../src/kinds/tenancy/role-binding-schema.ts';
import type { ServiceAccountItem } from '../../src/kinds/tenancy/service-account-schema.ts';

/** Amounts in growing order, each in several spellings: values that are equal must meet often. */
const AMOUNTS: readonly (readonly Quantity[])[] = [
  [0, '0', '0m', '0Gi'],
  ['100m', '0.1', '.1'],
  ['500m', '0.5', '0.50', '5e-1'],
  [1, '1', '1000m', '1.0', '1e0'],
  [2, '2', '2000m', '+2', '02'],
  ['1k', '1000', '1e3', '1E3', 1000],
  ['1Ki', '1024', '1.0Ki'],
  ['1Gi', '1024Mi', '1048576Ki', '1073741824'],
  ['1500Mi', '1572864000', '1.46484375Gi'],
];

const amount = (from = 0, to: number = AMOUNTS.length - 1): fc.Arbitrary<Quantity> =>
  fc.integer({ min: from, max: to }).chain((level) => fc.constantFrom(...(AMOUNTS[level] ?? [])));

/** Whole numbers, for what is counted. */
const count = fc.constantFrom<Quantity>(0, '0', 5, '5', '5e0', '5000m', 20, '20', '2e1', '1k', '1000', 1000);

const optionally = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

const someOf = <T>(values: readonly T[], maxLength: number): fc.Arbitrary<readonly T[]> =>
  fc.shuffledSubarray([...values], { minLength: 0, maxLength });

const label = fc.constantFrom('app', 'tier', 'example.com/team');
const text = fc.constantFrom('', 'a', 'b', 'web');
const labels = fc.dictionary(label, text, { maxKeys: 3 });

/** Scopes that may stand together, with the resources that may be counted under them. */
const quotaSpec = fc.oneof(
  fc.record({
    hard: fc.dictionary(
      fc.constantFrom('requests.cpu', 'limits.memory', 'requests.storage', 'requests.example.com/gpu'),
      fc.oneof(amount(), count),
      { maxKeys: 4 },
    ),
    counts: fc.dictionary(fc.constantFrom('pods', 'services', 'count/jobs.batch', 'count/secrets'), count, {
      maxKeys: 3,
    }),
    scopes: fc.constant([]),
    selector: fc.constant(undefined),
  }),
  fc.record({
    hard: fc.dictionary(fc.constantFrom('requests.cpu', 'limits.cpu', 'requests.memory'), amount(), { maxKeys: 3 }),
    counts: fc.dictionary(fc.constant('pods'), count, { maxKeys: 1 }),
    scopes: someOf(['NotTerminating', 'NotBestEffort'] as const, 2),
    selector: optionally(
      fc.array(
        fc.record({
          scopeName: fc.constant('PriorityClass' as const),
          operator: fc.constantFrom('In' as const, 'NotIn' as const),
          values: fc.shuffledSubarray(['high', 'low', 'middle'], { minLength: 1 }),
        }),
        { maxLength: 2 },
      ),
    ),
  }),
);

const resourceQuotas: fc.Arbitrary<ResourceQuotaItem> = quotaSpec.map(({ hard, counts, scopes, selector }) => ({
  name: 'child',
  hard: { ...hard, ...counts },
  scopes,
  ...(selector === undefined ? {} : { scopeSelector: { matchExpressions: selector } }),
}));

/** Lower bounds stay below upper ones, as validation demands. */
const containerLimit = fc.record({
  type: fc.constant('Container' as const),
  min: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(1, 2), { maxKeys: 2 })),
  defaultRequest: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(3, 3), { maxKeys: 2 })),
  default: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(4, 4), { maxKeys: 2 })),
  max: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(5, 8), { maxKeys: 2 })),
  maxLimitRequestRatio: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(3, 4), { maxKeys: 1 })),
});

const podLimit = fc.record({
  type: fc.constant('Pod' as const),
  min: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(1, 3), { maxKeys: 2 })),
  max: optionally(fc.dictionary(fc.constantFrom('cpu', 'memory'), amount(4, 8), { maxKeys: 2 })),
});

const claimLimit = fc.record({
  type: fc.constant('PersistentVolumeClaim' as const),
  min: optionally(fc.dictionary(fc.constant('storage'), amount(1, 3), { minKeys: 1, maxKeys: 1 })),
  max: fc.dictionary(fc.constant('storage'), amount(4, 8), { minKeys: 1, maxKeys: 1 }),
});

const limitRanges: fc.Arbitrary<LimitRangeItem> = fc
  .shuffledSubarray(['Container', 'Pod', 'PersistentVolumeClaim'] as const, { minLength: 1 })
  .chain((types) =>
    fc.tuple(
      ...types.map((type): fc.Arbitrary<object> => {
        if (type === 'Container') return containerLimit;
        return type === 'Pod' ? podLimit : claimLimit;
      }),
    ),
  )
  .map((limits) => ({ name: 'child', limits: limits.map(withoutUndefined) }) as unknown as LimitRangeItem);

const serviceAccounts: fc.Arbitrary<ServiceAccountItem> = fc
  .record({
    labels: optionally(labels),
    annotations: optionally(fc.dictionary(fc.constantFrom('note', 'example.com/owner'), text, { maxKeys: 2 })),
    automountServiceAccountToken: optionally(fc.boolean()),
    imagePullSecrets: optionally(someOf(['one', 'two', 'three'], 3).map((names) => names.map((name) => ({ name })))),
  })
  .map((item) => ({ name: 'child', ...withoutUndefined(item) }));

const subject = fc.oneof(
  fc.record({ kind: fc.constantFrom('User' as const, 'Group' as const), name: fc.constantFrom('ann', 'bob', 'eve') }),
  fc.record({
    kind: fc.constant('ServiceAccount' as const),
    name: fc.constantFrom('app', 'ci'),
    namespace: fc.constantFrom('default', 'team-a'),
  }),
);

const roleBindings: fc.Arbitrary<RoleBindingItem> = fc
  .record({
    role: fc.oneof({ weight: 9, arbitrary: fc.constant('view') }, { weight: 1, arbitrary: fc.constant('edit') }),
    subjects: optionally(fc.array(subject, { maxLength: 4 })),
  })
  .map(({ role, subjects }) => ({
    name: 'child',
    roleRef: { kind: 'ClusterRole', name: role },
    ...(subjects === undefined ? {} : { subjects }),
  }));

const selector = fc
  .record({
    matchLabels: optionally(labels),
    matchExpressions: optionally(
      fc.array(
        fc.oneof(
          fc.record({
            key: label,
            operator: fc.constantFrom('In' as const, 'NotIn' as const),
            values: fc.shuffledSubarray(['a', 'b', 'web'], { minLength: 1 }),
          }),
          fc.record({ key: label, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
        ),
        { maxLength: 2 },
      ),
    ),
  })
  .map(withoutUndefined);

const peer = fc.oneof(
  fc
    .record({ podSelector: optionally(selector), namespaceSelector: optionally(selector) })
    .filter(({ podSelector, namespaceSelector }) => podSelector !== undefined || namespaceSelector !== undefined)
    .map(withoutUndefined),
  fc
    .record({ cidr: fc.constantFrom('10.0.0.0/8', '2001:db8::/32'), except: fc.constantFrom(undefined, []) })
    .map((ipBlock) => ({ ipBlock: withoutUndefined(ipBlock) })),
  fc.constant({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.0.0/16'] } }),
);

const port = fc
  .oneof(
    fc.record({
      protocol: fc.constantFrom(undefined, 'TCP', 'UDP', 'SCTP'),
      port: fc.constantFrom(80, 'http', undefined),
    }),
    fc.record({ protocol: fc.constantFrom(undefined, 'TCP'), port: fc.constant(8000), endPort: fc.constant(8080) }),
  )
  .map(withoutUndefined);

const rules = (peers: 'from' | 'to'): fc.Arbitrary<readonly object[]> =>
  fc.array(
    fc
      .record({
        [peers]: optionally(fc.array(peer, { maxLength: 2 })),
        ports: optionally(fc.array(port, { maxLength: 2 })),
      })
      .map(withoutUndefined),
    { maxLength: 2 },
  );

const networkPolicies: fc.Arbitrary<NetworkPolicyItem> = fc
  .record({
    podSelector: selector,
    policyTypes: optionally(someOf(['Ingress', 'Egress'] as const, 2)),
    ingress: optionally(rules('from')),
    egress: optionally(rules('to')),
  })
  .map((spec) => ({ name: 'child', spec: withoutUndefined(spec) }) as unknown as NetworkPolicyItem);

/** What an Environment says about its namespace. */
export interface NamespaceWish {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly stage: string;
  readonly enforce: 'restricted' | 'baseline';
}

const namespaces: fc.Arbitrary<NamespaceWish> = fc.record({
  labels,
  annotations: fc.dictionary(fc.constantFrom('note', 'example.com/owner', 'team'), text, { maxKeys: 3 }),
  stage: fc.constantFrom('dev', 'int', 'prod'),
  enforce: fc.constantFrom('restricted' as const, 'baseline' as const),
});

/** Generators of items by kind of child. Not all they give is valid: the API server says which. */
export const generators = {
  resourceQuotas,
  limitRanges,
  serviceAccounts,
  roleBindings,
  networkPolicies,
  namespaces,
};

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
