import type { FailurePolicy, Hook } from '../../../src/base/hook.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { groupResourceOf } from '../../../src/base/resource.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { type Situation, SITUATIONS } from './situations.ts';
import { GADGETS } from '../../unit/admission/gadget.ts';

/** A version beside the one that the hooks speak of; both have one schema. */
export const OTHER_VERSION = 'v1beta1';

/** Namespace of the gadgets. */
export const NAMESPACE = 'admission-matrix';

/** Both failure policies. */
export const POLICIES: readonly FailurePolicy[] = ['Fail', 'Ignore'];

/** The schema of a gadget, status included. */
export const GADGET_SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 100 },
        stage: { type: 'string', maxLength: 20 },
        keep: { type: 'boolean' },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string', maxLength: 20 } } },
  },
};

/** The definition of gadgets in two versions. */
export function gadgetDefinition(): Manifest {
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: GADGET_SCHEMA },
    subresources: { status: {} },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: groupResourceOf(GADGETS) },
    spec: {
      group: GADGETS.group,
      names: { kind: GADGETS.kind, listKind: 'GadgetList', plural: GADGETS.plural, singular: 'gadget' },
      scope: 'Namespaced',
      versions: [version(GADGETS.version, true), version(OTHER_VERSION, false)],
    },
  };
}

/** A situation under one policy. */
export interface Case {
  readonly situation: Situation;
  readonly policy: FailurePolicy;
  /** Part of object names, labels and paths. */
  readonly id: string;
}

/** Every situation under every policy. */
export const CASES: readonly Case[] = SITUATIONS.flatMap((situation) =>
  POLICIES.map((policy) => ({ situation, policy, id: `${situation.name}-${policy.toLowerCase()}` })),
);

/** The row of a hook table for a case. */
export function hookOf({ id, situation, policy }: Case): Hook {
  return {
    name: `${id}.matrix.homeostat.io`,
    path: `/${id}`,
    phase: situation.phase,
    type: GADGETS,
    operations: situation.phase === 'protect' ? ['DELETE'] : ['CREATE', 'UPDATE'],
    failurePolicy: policy,
    timeoutSeconds: situation.timeoutSeconds,
  };
}

/** Where a hook is reached: the address and the authority the configuration names. */
export interface Way {
  readonly url: string;
  readonly ca: string;
}

/** A webhook configuration with the hooks of these cases, each called for its own objects only. */
export function configuration(
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  hooks: readonly (Pick<Hook, 'name' | 'operations' | 'failurePolicy' | 'timeoutSeconds'> & {
    readonly way: Way;
    readonly label: string;
  })[],
): Manifest {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'admission-matrix' },
    webhooks: hooks.map(({ way, label, name, operations, failurePolicy, timeoutSeconds }) => ({
      name,
      failurePolicy,
      timeoutSeconds,
      clientConfig: { url: way.url, caBundle: Buffer.from(way.ca).toString('base64') },
      rules: [{ apiGroups: [GADGETS.group], apiVersions: [GADGETS.version], operations, resources: [GADGETS.plural] }],
      objectSelector: { matchLabels: { case: label } },
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...(kind === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'IfNeeded' } : {}),
    })),
  };
}
