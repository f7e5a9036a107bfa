/** Annotation of a Pod: the VaultApp of its namespace whose address and token it wants. */
export const INJECT_ANNOTATION = 'homeostat.io/inject-vault';

/** Annotation of a Pod: names of the containers that are to get them, with commas; all where absent. */
export const CONTAINERS_ANNOTATION = 'homeostat.io/inject-containers';

/** Annotation of a Pod: `true` sets what the vault command reads even where envFrom may set the same. */
export const OVER_ENV_FROM_ANNOTATION = 'homeostat.io/inject-over-env-from';

/** Annotation that an injected Pod gets: hash of what it was given. */
export const INJECTED_ANNOTATION = 'homeostat.io/injected';

/** Label of a namespace whose Pods may ask. */
export const INJECTION_LABEL = 'homeostat.io/injection';

/** Its value. */
export const INJECTION_ENABLED = 'enabled';
