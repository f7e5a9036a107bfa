import { jsonEqual } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { lintManifests, lintRendering } from '../manifests/lint.ts';
import { formatLintFinding } from '../manifests/lint-finding.ts';
import type { LintedKind } from '../manifests/lint-input.ts';
import { renderInstallation } from '../manifests/render.ts';
import type { ManifestSettings } from '../manifests/settings.ts';
import { allVariants } from '../manifests/variants.ts';
import type { Kind } from '../sdk/index.ts';

/** What the linter finds in each way to install these kinds, one line each. */
export function lintKinds(kinds: readonly Kind[], settings: ManifestSettings): readonly string[] {
  const linted = kinds.map(lintedKind);
  const findings = [settings, ...allVariants(settings).map((variant) => variant.settings)].flatMap((variant) =>
    lintManifests({
      kinds: linted,
      certificates: variant.certificates.mode,
      objects: renderInstallation(linted, variant),
    }),
  );
  const lines = [...findings, ...lintRendering(linted, settings)].map(formatLintFinding);
  // What all of them share is told once.
  return [...new Set(lines)];
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
