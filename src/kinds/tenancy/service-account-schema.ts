import { boolean, list, object, optional, type Static } from '../../sdk/index.ts';
import { annotationMap, dnsLabel, dnsSubdomain, labelMap } from './name-schemas.ts';

/** Members of one service account. `secrets` is absent on purpose: the token controller of older clusters owns it. */
export const serviceAccountMembers = {
  name: dnsLabel('Name of the ServiceAccount in the namespace; "default" completes the one that Kubernetes makes.'),
  labels: optional(labelMap('Labels of the ServiceAccount.', 16)),
  annotations: optional(annotationMap('Annotations of the ServiceAccount.', 16)),
  automountServiceAccountToken: optional(
    boolean({ description: 'Whether Pods get a token of this account mounted unless they say otherwise.' }),
  ),
  imagePullSecrets: optional(
    list(
      object(
        { name: dnsSubdomain('Name of a Secret in the namespace.') },
        { description: 'A reference to a Secret with registry credentials.' },
      ),
      {
        description: 'Secrets for pulling images. Those that others added to the account are kept.',
        maxItems: 16,
        listType: 'map',
        keys: ['name'],
      },
    ),
  ),
};

/** One service account as a schema. */
export const serviceAccountSchema = object(serviceAccountMembers, {
  description: 'A ServiceAccount to be kept in the namespace.',
});

/** One service account. */
export type ServiceAccountItem = Static<typeof serviceAccountSchema>;
