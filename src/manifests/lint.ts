import { lintSchema } from '../schema/lint.ts';
import type { LintFinding } from './lint-finding.ts';
import { lintInstallation } from './lint-installation.ts';
import type { LintInput } from './lint-input.ts';
import { lintPods } from './lint-pods.ts';
import { lintHookTable, lintWebhooks } from './lint-webhooks.ts';
import { renderManifests } from './manifest-tree.ts';
import type { ManifestSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';
import { toYaml } from './yaml-text.ts';

/**
 * What rendered manifests must not have, by rules L01 to L27. Each of them is an outage that somebody had: a hook that
 * stops a cluster, a certificate that is never read again, a rollout that loses reviews.
 */
export function lintManifests(input: LintInput): readonly LintFinding[] {
  return [
    ...lintWebhooks(input),
    ...lintHookTable(input),
    ...lintInstallation(input),
    ...lintPods(input.objects),
    ...lintSchemas(input),
  ];
}

/** Unbounded or unportable schemas: L19. */
function lintSchemas({ kinds }: LintInput): readonly LintFinding[] {
  return kinds.flatMap(({ type, structure }) =>
    lintSchema(structure).map((problem) => ({ rule: 'L19', object: `Kind ${type.kind}`, problem })),
  );
}

/** Manifests that come out differently the second time: L20. */
export function lintRendering(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly LintFinding[] {
  const [first, second] = [renderManifests(kinds, settings), renderManifests(kinds, settings)];
  return first.flatMap((file, index) => {
    const again = second[index];
    if (again?.path === file.path && toYaml(again.documents) === toYaml(file.documents)) return [];
    return [{ rule: 'L20', object: `File ${file.path}`, problem: 'it is rendered differently each time' }];
  });
}
