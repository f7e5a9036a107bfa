/** On a Namespace: `<namespace>/<name>` of the Environment that may take it over. */
export const ALLOW_ADOPTION_ANNOTATION = 'homeostat.io/allow-adoption-by';

/** On a Namespace: `"true"` where it was taken over, so that deleting the Environment leaves it. */
export const ADOPTED_ANNOTATION = 'homeostat.io/adopted';

/** On a Namespace: keys of the labels that came from a spec, so that taking one away takes it off. */
export const MANAGED_LABELS_ANNOTATION = 'homeostat.io/managed-labels';

/** The same for annotations. */
export const MANAGED_ANNOTATIONS_ANNOTATION = 'homeostat.io/managed-annotations';
