import type { StructuralSchema } from '../schema/structural.ts';
import {
  atomic,
  atomicList,
  conditions,
  flag,
  integer,
  intOrText,
  kept,
  keyedList,
  labelSelector,
  openStruct,
  pointerText,
  quantities,
  struct,
  text,
  textMap,
  texts,
  withDefault,
} from './schema-words.ts';

const objectReference = struct({
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  apiVersion: text,
  resourceVersion: text,
  fieldPath: text,
});

const policyPort = struct({ protocol: withDefault(text, 'TCP'), port: intOrText, endPort: integer });
const policyPeer = struct({
  podSelector: labelSelector,
  namespaceSelector: labelSelector,
  ipBlock: struct({ cidr: text, except: texts }),
});
const policyRules = atomicList(
  struct({ apiGroups: texts, nonResourceURLs: texts, resourceNames: texts, resources: texts, verbs: texts }),
);

/** A Pod's spec: lists that are merged by key are known, everything else is kept as sent and not defaulted. */
const container = openStruct({
  name: text,
  image: text,
  env: keyedList(kept, 'name'),
  ports: keyedList(
    openStruct({ containerPort: integer, protocol: withDefault(text, 'TCP') }),
    'containerPort',
    'protocol',
  ),
  volumeMounts: keyedList(kept, 'mountPath'),
  volumeDevices: keyedList(kept, 'devicePath'),
  resources: openStruct({ limits: quantities, requests: quantities, claims: keyedList(kept, 'name') }),
});
const podSpec = openStruct({
  containers: keyedList(container, 'name'),
  initContainers: keyedList(container, 'name'),
  ephemeralContainers: keyedList(container, 'name'),
  volumes: keyedList(kept, 'name'),
  imagePullSecrets: keyedList(atomic(struct({ name: text })), 'name'),
  hostAliases: keyedList(kept, 'ip'),
  topologySpreadConstraints: keyedList(kept, 'topologyKey', 'whenUnsatisfiable'),
  resourceClaims: keyedList(kept, 'name'),
  schedulingGates: keyedList(kept, 'name'),
  nodeSelector: atomic(textMap),
});
const podTemplate = openStruct({
  metadata: openStruct({ labels: textMap, annotations: textMap }),
  spec: podSpec,
});
const jobSpec = openStruct({ selector: labelSelector, template: podTemplate });

const clientConfig = struct({
  url: pointerText,
  service: struct({ namespace: text, name: text, path: pointerText, port: withDefault(integer, 443) }),
  caBundle: text,
});
const webhook = {
  name: text,
  clientConfig,
  rules: atomicList(
    struct({
      apiGroups: texts,
      apiVersions: texts,
      operations: texts,
      resources: texts,
      scope: withDefault(text, '*'),
    }),
  ),
  failurePolicy: withDefault(text, 'Fail'),
  matchPolicy: withDefault(text, 'Equivalent'),
  namespaceSelector: withDefault(labelSelector, {}),
  objectSelector: withDefault(labelSelector, {}),
  sideEffects: text,
  timeoutSeconds: withDefault(integer, 10),
  admissionReviewVersions: texts,
  matchConditions: keyedList(struct({ name: text, expression: text }), 'name'),
};

const names = struct({
  plural: text,
  singular: text,
  shortNames: texts,
  kind: text,
  listKind: text,
  categories: texts,
});
const deprecatedEvent = {
  deprecatedSource: struct({ component: text, host: text }),
  deprecatedFirstTimestamp: text,
  deprecatedLastTimestamp: text,
  deprecatedCount: integer,
};
const series = struct({ count: integer, lastObservedTime: text });

/** Members of the built-in kinds, beside apiVersion, kind and metadata. Facts of the Kubernetes 1.37 OpenAPI documents. */
export const BUILTIN_SCHEMAS = {
  Namespace: struct({ spec: struct({ finalizers: texts }), status: struct({ phase: text, conditions }) }),
  ConfigMap: struct({ data: textMap, binaryData: textMap, immutable: flag }),
  Secret: struct({ data: textMap, stringData: textMap, type: text, immutable: flag }),
  ServiceAccount: struct({
    secrets: keyedList(atomic(objectReference), 'name'),
    imagePullSecrets: atomicList(atomic(struct({ name: text }))),
    automountServiceAccountToken: flag,
  }),
  ResourceQuota: struct({
    spec: struct({
      hard: quantities,
      scopes: texts,
      scopeSelector: atomic(
        struct({ matchExpressions: atomicList(struct({ scopeName: text, operator: text, values: texts })) }),
      ),
    }),
    status: struct({ hard: quantities, used: quantities }),
  }),
  LimitRange: struct({
    spec: struct({
      limits: atomicList(
        struct({
          type: text,
          max: quantities,
          min: quantities,
          default: quantities,
          defaultRequest: quantities,
          maxLimitRequestRatio: quantities,
        }),
      ),
    }),
  }),
  Service: struct({
    spec: openStruct({
      selector: atomic(textMap),
      ports: keyedList(
        openStruct({ port: integer, protocol: withDefault(text, 'TCP'), targetPort: intOrText }),
        'port',
        'protocol',
      ),
    }),
    status: openStruct({ conditions }),
  }),
  Pod: struct({ spec: podSpec, status: openStruct({ conditions, podIPs: keyedList(kept, 'ip') }) }),
  Event: struct({
    involvedObject: atomic(objectReference),
    reason: text,
    message: text,
    source: struct({ component: text, host: text }),
    firstTimestamp: text,
    lastTimestamp: text,
    count: integer,
    type: text,
    eventTime: text,
    series,
    action: text,
    related: atomic(objectReference),
    reportingComponent: text,
    reportingInstance: text,
  }),
  EventV1: struct({
    regarding: atomic(objectReference),
    reason: text,
    note: text,
    type: text,
    eventTime: text,
    series,
    action: text,
    related: atomic(objectReference),
    reportingController: text,
    reportingInstance: text,
    ...deprecatedEvent,
  }),
  NetworkPolicy: struct({
    spec: withDefault(
      struct({
        podSelector: withDefault(labelSelector, {}),
        policyTypes: texts,
        ingress: atomicList(struct({ ports: atomicList(policyPort), from: atomicList(policyPeer) })),
        egress: atomicList(struct({ ports: atomicList(policyPort), to: atomicList(policyPeer) })),
      }),
      {},
    ),
  }),
  Role: struct({ rules: policyRules }),
  ClusterRole: struct({
    rules: policyRules,
    aggregationRule: struct({ clusterRoleSelectors: atomicList(labelSelector) }),
  }),
  RoleBinding: struct({
    subjects: atomicList(atomic(struct({ kind: text, apiGroup: text, name: text, namespace: text }))),
    roleRef: atomic(struct({ apiGroup: text, kind: text, name: text })),
  }),
  Lease: struct({
    spec: struct({
      holderIdentity: pointerText,
      leaseDurationSeconds: integer,
      acquireTime: text,
      renewTime: text,
      leaseTransitions: integer,
      strategy: pointerText,
      preferredHolder: pointerText,
    }),
  }),
  Deployment: struct({
    spec: openStruct({ replicas: integer, selector: labelSelector, template: podTemplate }),
    status: openStruct({ conditions }),
  }),
  PodDisruptionBudget: struct({
    spec: openStruct({ selector: labelSelector, minAvailable: intOrText, maxUnavailable: intOrText }),
    status: openStruct({ conditions, disruptedPods: kept }),
  }),
  Job: struct({ spec: jobSpec, status: kept }),
  CronJob: struct({
    spec: openStruct({ schedule: text, jobTemplate: openStruct({ metadata: kept, spec: jobSpec }) }),
    status: kept,
  }),
  MutatingWebhookConfiguration: struct({
    webhooks: keyedList(struct({ ...webhook, reinvocationPolicy: withDefault(text, 'Never') }), 'name'),
  }),
  ValidatingWebhookConfiguration: struct({ webhooks: keyedList(struct(webhook), 'name') }),
  CustomResourceDefinition: struct({
    spec: struct({
      group: text,
      names,
      scope: text,
      versions: atomicList(
        struct({
          name: text,
          served: flag,
          storage: flag,
          deprecated: flag,
          deprecationWarning: pointerText,
          schema: struct({ openAPIV3Schema: kept }),
          subresources: struct({
            status: kept,
            scale: struct({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text }),
          }),
          additionalPrinterColumns: atomicList(
            struct({ name: text, type: text, format: text, description: text, priority: integer, jsonPath: text }),
          ),
          selectableFields: atomicList(struct({ jsonPath: text })),
        }),
      ),
      conversion: withDefault(struct({ strategy: text, webhook: kept }), { strategy: 'None' }),
      preserveUnknownFields: flag,
    }),
    status: struct({ conditions, acceptedNames: names, storedVersions: texts, observedGeneration: integer }),
  }),
} as const satisfies Readonly<Record<string, StructuralSchema>>;

/** Names in {@link BUILTIN_SCHEMAS}. */
export type BuiltinSchema = keyof typeof BUILTIN_SCHEMAS;
