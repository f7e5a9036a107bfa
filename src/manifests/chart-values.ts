import { HEAP_SHARE_PERCENT, MEMORY_LIMIT_MI, YOUNG_GENERATION_MI } from './deployment.ts';
import { DEFAULT_SIGNER } from './settings.ts';

const VALUES = `# The image of the Pods, and of the Jobs that the service makes.
image:
  repository: ghcr.io/homeostat/homeostat
  # The chart's appVersion where empty.
  tag: ""
  # sha256:...; wins over the tag.
  digest: ""
imagePullSecrets: []

# Pods of each instance. All answer reviews, one reconciles. Two at least; three where refusals during a node failure must not happen.
replicas: 2

# No CPU limit: throttling shows up as webhook timeouts. V8's heap follows the memory limit (Mi or Gi).
resources:
  requests:
    cpu: 100m
    memory: 128Mi
  limits:
    memory: ${MEMORY_LIMIT_MI}Mi

certificates:
  # cert-manager, self-managed, csr, or mounted: a Secret homeostat-webhook-tls and a caBundle that somebody else writes.
  mode: cert-manager
  csr:
    # The signer that is asked, and its authorities (PEM), which become the caBundle.
    signer: ${DEFAULT_SIGNER}
    authority: ""

# The Vault of VaultPolicy and VaultApp. Without an address both kinds wait.
vault:
  address: ""
  # First part of every name in Vault; no two clusters may share one. Needed with an address.
  clusterId: ""
  namespace: ""
  authMount: ""
  role: ""
  # Path of the authorities of Vault's certificate; mount them with extraVolumes.
  caFile: ""

# debug, info, warn, error or silent; info where empty.
logLevel: ""

# Stages that have an instance of their own, such as [dev, int]; the common instance does everything else.
stages: []

crds:
  # Definitions are upgraded with the chart.
  install: true
  # Leave them, and with them all objects, when the release is uninstalled.
  keep: true

networkPolicy:
  enabled: false

monitoring:
  # Needs the definitions of the Prometheus operator.
  enabled: false
  # Labels by which the operator selects ServiceMonitors and PrometheusRules.
  labels: {}

# system-cluster-critical keeps the webhooks running where nodes are full.
priorityClassName: ""
nodeSelector: {}
tolerations: []
affinity: {}
podLabels: {}
podAnnotations: {}

# Added at the end: arguments of run, variables, volumes and mounts.
extraArgs: []
extraEnv: []
extraVolumes: []
extraVolumeMounts: []
`;

/** values.yaml, with what each value does. */
export function chartValues(): string {
  return VALUES;
}

const text = { type: 'string' } as const;
const truth = { type: 'boolean' } as const;
const texts = { type: 'object', additionalProperties: text } as const;
const anything = { type: 'object' } as const;
const list = (items: object): object => ({ type: 'array', items });
const record = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

/** Schema of the values: a name that is not there is refused instead of being ignored. */
export function chartValuesSchema(): object {
  const known = {
    // Given by Helm to charts that are part of another one.
    global: anything,
    image: record({
      repository: { ...text, minLength: 1 },
      tag: text,
      digest: { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
    }),
    imagePullSecrets: list(anything),
    replicas: { type: 'integer', minimum: 1 },
    resources: anything,
    certificates: record({
      mode: { enum: ['cert-manager', 'self-managed', 'csr', 'mounted'] },
      csr: record({ signer: { ...text, pattern: '^[a-z0-9.-]+/[A-Za-z0-9._:/-]+$' }, authority: text }),
    }),
    vault: record({
      address: { ...text, pattern: '^(https?://[^"\\\\\\s]+)?$' },
      clusterId: { ...text, pattern: '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$' },
      ...Object.fromEntries(
        ['namespace', 'authMount', 'role', 'caFile'].map((name) => [name, { ...text, pattern: '^[^"\\\\\\s]*$' }]),
      ),
    }),
    logLevel: { enum: ['', 'debug', 'info', 'warn', 'error', 'silent'] },
    stages: { ...list({ ...text, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 40 }), uniqueItems: true },
    crds: record({ install: truth, keep: truth }),
    networkPolicy: record({ enabled: truth }),
    monitoring: record({ enabled: truth, labels: texts }),
    priorityClassName: { ...text, pattern: '^[a-z0-9.-]*$' },
    nodeSelector: texts,
    tolerations: list(anything),
    affinity: anything,
    podLabels: texts,
    podAnnotations: texts,
    extraArgs: list(text),
    extraEnv: list(anything),
    extraVolumes: list(anything),
    extraVolumeMounts: list(anything),
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Values of the chart homeostat',
    ...record(known),
  };
}

/** Named templates: the image, and V8's old generation after the memory limit. */
export function chartHelpers(): string {
  return `{{- define "homeostat.image" -}}
{{- $image := $.Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default $.Chart.AppVersion $image.tag }}
{{- end -}}
{{- end }}

{{- define "homeostat.oldSpaceMi" -}}
{{- $limit := dig "limits" "memory" "" $.Values.resources -}}
{{- $mi := 0 -}}
{{- if hasSuffix "Mi" $limit -}}
{{- $mi = trimSuffix "Mi" $limit | int -}}
{{- else if hasSuffix "Gi" $limit -}}
{{- $mi = mul 1024 (trimSuffix "Gi" $limit | int) -}}
{{- end -}}
{{- if lt (int $mi) 128 -}}
{{- fail (printf "resources.limits.memory must be at least 128Mi, in whole Mi or Gi; it is %q" $limit) -}}
{{- end -}}
{{- sub (div (mul $mi ${HEAP_SHARE_PERCENT}) 100) ${YOUNG_GENERATION_MI} -}}
{{- end }}
`;
}

/** What Helm prints after an installation. */
export function chartNotes(): string {
  return `Homeostat {{ $.Chart.AppVersion }} is in namespace {{ $.Release.Namespace }}.

  kubectl rollout status -n {{ $.Release.Namespace }} deployment/homeostat
{{- if ne $.Release.Name "homeostat" }}

Objects bear fixed names whatever the release is called: a cluster holds one Homeostat.
{{- end }}
{{- if and $.Values.vault.address (not $.Values.vault.clusterId) }}

vault.clusterId is missing: the Pods will not start without it.
{{- end }}
`;
}
