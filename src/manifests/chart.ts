import { jsonEqual } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';
import { templatedDeployment } from './chart-deployment.ts';
import { block, choice, DEPTH, expression, MORE, optional } from './chart-markup.ts';
import { type Alternative, merged } from './chart-merge.ts';
import { chartHelpers, chartNotes, chartValues, chartValuesSchema } from './chart-values.ts';
import { conditional, templateLines, withoutSeams } from './chart-yaml.ts';
import { type ManifestParts, renderParts } from './render.ts';
import { type CertificateSettings, type ManifestSettings, stageInstance } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** A generated file as text. */
export interface TextFile {
  /** Relative path, forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Ways to serving certificates, as the chart's value names them. */
const MODES: readonly CertificateSettings[] = [
  { mode: 'cert-manager' },
  { mode: 'mounted' },
  { mode: 'self-managed' },
  { mode: 'csr', signer: expression('$.Values.certificates.csr.signer') },
];

const MODE = '$.Values.certificates.mode';
const AUTHORITY = '$.Values.certificates.csr.authority';

/** The stage that a Deployment of the loop over stages is for. */
const STAGE = expression('$stage');

/** When a part is there; the others always are. */
const CONDITIONS: Readonly<Partial<Record<keyof ManifestParts, string>>> = {
  crd: '$.Values.crds.install',
  'network-policy': '$.Values.networkPolicy.enabled',
  monitoring: '$.Values.monitoring.enabled',
};

const PART_FILES: readonly (keyof ManifestParts)[] = [
  'crd',
  'rbac',
  'certificates',
  'network-policy',
  'manager',
  'monitoring',
  'webhook',
];

/**
 * The Helm chart: what the renderer makes, with the values' names in the places of settings. Where ways to certificates differ, each
 * variant stands under its condition. Definitions are among the templates: those in a chart's own `crds` folder are never upgraded.
 */
export function renderChart(
  kinds: readonly ManifestSlice[],
  { version }: Pick<ManifestSettings, 'version'>,
): readonly TextFile[] {
  const alternatives = MODES.map((certificates) => ({
    mode: certificates.mode,
    parts: renderParts(kinds, templatedSettings(version, certificates)),
  }));
  const templates = PART_FILES.map((part): TextFile => {
    const lines = mergedObjects(alternatives.map(({ mode, parts }) => ({ name: mode, objects: parts[part] })))
      .filter(({ kind }) => kind !== 'Namespace')
      .flatMap((object) => objectLines(object));
    const condition = CONDITIONS[part];
    const text = withoutSeams(condition === undefined ? lines : conditional(condition, lines)).join('\n');
    return { path: `chart/templates/${part}.yaml`, text: `${text}\n` };
  });
  return [
    { path: 'chart/Chart.yaml', text: chartFile(version) },
    { path: 'chart/values.yaml', text: chartValues() },
    { path: 'chart/values.schema.json', text: `${JSON.stringify(chartValuesSchema(), null, 2)}\n` },
    { path: 'chart/templates/_helpers.tpl', text: chartHelpers() },
    { path: 'chart/templates/NOTES.txt', text: chartNotes() },
    ...templates,
  ];
}

function templatedSettings(version: string, certificates: CertificateSettings): ManifestSettings {
  return {
    namespace: expression('$.Release.Namespace'),
    image: expression('include "homeostat.image" $'),
    version,
    replicas: 1,
    certificates,
    stages: [STAGE],
    networkPolicy: true,
    monitoring: true,
    priorityClassName: expression('$.Values.priorityClassName'),
  };
}

function chartFile(version: string): string {
  const lines = [
    'apiVersion: v2',
    'name: homeostat',
    'description: An admission webhook and a controller in one service, resources checked at apply and kept converged.',
    'type: application',
    `version: ${version}`,
    `appVersion: ${JSON.stringify(version)}`,
    'kubeVersion: ">=1.32.0-0"',
  ];
  return `${lines.join('\n')}\n`;
}

interface RenderedCase {
  readonly name: string;
  readonly objects: readonly Manifest[];
}

/** An object of some or all cases, and under which condition it is there. */
type TemplatedObject = Manifest & { readonly condition?: string };

function mergedObjects(cases: readonly RenderedCase[]): readonly TemplatedObject[] {
  const identities = new Map<string, Alternative[]>();
  for (const { name, objects } of cases) {
    for (const object of objects) {
      const identity = `${object.kind} ${object.metadata.name}`;
      identities.set(identity, [...(identities.get(identity) ?? []), { name, value: templated(object, name) }]);
    }
  }
  return Array.from(identities.values(), (alternatives) => {
    // Objects that are merged are one object, with marks within.
    const object = merged(alternatives, isMode) as Manifest;
    const names = alternatives.map(({ name }) => name);
    return names.length === cases.length ? object : { ...object, condition: isMode(names) };
  });
}

function isMode(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name)).join(' ');
  return names.length === 1 ? `eq ${MODE} ${quoted}` : `has ${MODE} (list ${quoted})`;
}

/** The places that values fill beside those of the settings. */
function templated(object: Manifest, mode: string): Manifest {
  switch (object.kind) {
    case 'Deployment':
      return templatedDeployment(object);
    case 'CustomResourceDefinition':
      return withMetadata(object, { annotations: kept() });
    case 'ServiceMonitor':
    case 'PrometheusRule':
      return withMetadata(object, {
        labels: { ...object.metadata.labels, [MORE]: optional('$.Values.monitoring.labels') },
      });
    case 'ConfigMap':
      return mode === 'csr' && jsonEqual(object['data'], {}) ? { ...object, data: authorityData() } : object;
    default:
      return mode === 'csr' && object.kind.endsWith('WebhookConfiguration') ? withCaBundle(object) : object;
  }
}

function withMetadata(object: Manifest, changes: object): Manifest {
  return { ...object, metadata: { ...object.metadata, ...changes } };
}

/** Deleting a definition deletes every object of its kind, so that an uninstall leaves definitions unless told otherwise. */
function kept(): object {
  return choice([{ condition: '$.Values.crds.keep', value: { 'helm.sh/resource-policy': 'keep' } }]);
}

function authorityData(): object {
  return block(
    `{{- if ${AUTHORITY} }}{{- toYaml (dict "ca.crt" ${AUTHORITY}) | nindent ${DEPTH} }}{{- else }} {}{{- end }}`,
  );
}

function withCaBundle(configuration: Manifest): Manifest {
  const caBundle = choice([{ condition: AUTHORITY, value: expression(`${AUTHORITY} | b64enc`) }]);
  const hooks = Array.isArray(configuration['webhooks']) ? configuration['webhooks'] : [];
  return {
    ...configuration,
    webhooks: hooks.map((hook: { readonly clientConfig: object }) => ({
      ...hook,
      clientConfig: { ...hook.clientConfig, caBundle },
    })),
  };
}

/** One document. What is for a stage stands in a loop over all of them. */
function objectLines({ condition, ...object }: TemplatedObject): readonly string[] {
  const lines = ['---', ...templateLines(object)];
  if (condition !== undefined) return conditional(condition, lines);
  if (object.metadata.name !== stageInstance(STAGE)) return lines;
  return ['{{- range $stage := $.Values.stages }}', ...lines, '{{- end }}'];
}
