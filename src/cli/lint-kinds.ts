import { jsonEqual } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { lintManifests, lintRendering } from '../manifests/lint.ts';
import { formatLintFinding } from '../manifests/lint-finding.ts';
import type { LintedKind } from '../manifests/lint-input.ts';
import { renderManifests } from '../manifests/render.ts';
import type { ManifestSettings } from '../manifests/settings.ts';
import type { Kind } from '../sdk/index.ts';

/** What the linter finds in an installation of these kinds, one line each. */
export function lintKinds(kinds: readonly Kind[], settings: ManifestSettings): readonly string[] {
  const linted = kinds.map(lintedKind);
  const install = renderManifests(linted, settings).find(({ path }) => path === 'install.yaml');
  const findings = lintManifests({ kinds: linted, objects: install?.objects ?? [] });
  return [...findings, ...lintRendering(linted, settings)].map(formatLintFinding);
}

function lintedKind(kind: Kind): LintedKind {
  const { mutate, schema } = kind;
  if (mutate === undefined) return kind;
  return {
    ...kind,
    isIdempotentOn: (sample) => {
      // A sample is an object of the kind; the schema completes it as the API server would.
      const once = mutate(schema.prepare(sample) as KubeObject);
      return jsonEqual(mutate(once), once);
    },
  };
}
