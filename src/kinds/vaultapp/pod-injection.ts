import { type IndexDeclaration, type Injection, NAMESPACES, PODS } from '../../sdk/index.ts';
import { injectPod, judgePod } from './inject-pod.ts';
import { INJECT_ANNOTATION, INJECTION_ENABLED, INJECTION_LABEL } from './injection-names.ts';

/** Namespaces whose Pods may ask. */
export const NAMESPACES_WITH_INJECTION: IndexDeclaration = {
  type: NAMESPACES,
  name: 'injection',
  values: ({ metadata }) => (metadata.labels?.[INJECTION_LABEL] === INJECTION_ENABLED ? [INJECTION_ENABLED] : []),
};

/**
 * The hook on Pods. It never holds one up: it is called only where namespace and Pod ask for it, has two seconds, and a Pod is created
 * whatever becomes of the call. Pods that were missed are found by looking.
 */
export const podInjection: Injection = {
  hook: {
    name: 'inject.pods.vaultapps.homeostat.io',
    path: '/inject/pods',
    phase: 'mutate',
    type: PODS,
    operations: ['CREATE'],
    failurePolicy: 'Ignore',
    timeoutSeconds: 2,
    namespaceLabels: { [INJECTION_LABEL]: INJECTION_ENABLED },
    matchConditions: [
      {
        name: 'asks-for-vault',
        expression: `has(object.metadata.annotations) && '${INJECT_ANNOTATION}' in object.metadata.annotations`,
        holds: ({ metadata }) => metadata.annotations?.[INJECT_ANNOTATION] !== undefined,
      },
    ],
  },
  inject: injectPod,
  judge: judgePod,
  namespaces: { index: NAMESPACES_WITH_INJECTION.name, value: INJECTION_ENABLED },
};
