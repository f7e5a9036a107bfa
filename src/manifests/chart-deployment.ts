import { valueAt } from '../base/field-path.ts';
import { isRecord } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';
import { block, choice, DEPTH, expression, MORE, optional } from './chart-markup.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Flags of `run` that have a value of their own in the chart, by that value. */
const FLAGS: readonly (readonly [flag: string, value: string])[] = [
  ['vault-address', 'vault.address'],
  ['vault-namespace', 'vault.namespace'],
  ['vault-auth-mount', 'vault.authMount'],
  ['vault-role', 'vault.role'],
  ['vault-ca-file', 'vault.caFile'],
  ['cluster-id', 'vault.clusterId'],
  ['log-level', 'logLevel'],
];

/** A Deployment as the renderer makes it, with the places that the chart's values fill. */
export function templatedDeployment(deployment: Manifest): Manifest {
  const spec = recordAt(deployment, ['spec']);
  const template = recordAt(spec, ['template']);
  const metadata = recordAt(template, ['metadata']);
  const { annotations, labels } = metadata;
  return {
    ...deployment,
    spec: {
      ...spec,
      replicas: block(' {{ int $.Values.replicas }}'),
      template: {
        metadata: {
          ...metadata,
          labels: { ...asRecord(labels), [MORE]: optional('$.Values.podLabels') },
          annotations: { ...asRecord(annotations), [MORE]: optional('$.Values.podAnnotations') },
        },
        spec: templatedPod(recordAt(template, ['spec'])),
      },
    },
  };
}

function templatedPod({ containers, volumes, priorityClassName, ...pod }: Fields): object {
  const [container] = listIn(containers);
  return {
    ...pod,
    priorityClassName: choice([{ condition: '$.Values.priorityClassName', value: priorityClassName }]),
    imagePullSecrets: optional('$.Values.imagePullSecrets'),
    nodeSelector: optional('$.Values.nodeSelector'),
    tolerations: optional('$.Values.tolerations'),
    affinity: optional('$.Values.affinity'),
    containers: [templatedContainer(asRecord(container))],
    volumes: [...listIn(volumes), optional('$.Values.extraVolumes')],
  };
}

function templatedContainer({ args, env, volumeMounts, ...container }: Fields): object {
  return {
    ...container,
    args: [...listIn(args).map(templatedArgument), ...flagArguments(), optional('$.Values.extraArgs')],
    env: [...listIn(env).map(templatedVariable), optional('$.Values.extraEnv')],
    volumeMounts: [...listIn(volumeMounts), optional('$.Values.extraVolumeMounts')],
    resources: block(`{{- toYaml $.Values.resources | nindent ${DEPTH} }}`),
  };
}

/** The common instance leaves alone what has an instance of its own. */
function templatedArgument(argument: unknown): unknown {
  if (typeof argument !== 'string' || !argument.startsWith('--stage-not=')) return argument;
  const value = `--stage-not=${expression('join "," $.Values.stages')}`;
  return choice([{ condition: '$.Values.stages', value }]);
}

function flagArguments(): readonly object[] {
  return FLAGS.map(([flag, value]) => {
    const given = `$.Values.${value}`;
    return choice([{ condition: given, value: `--${flag}=${expression(given)}` }]);
  });
}

/** V8 must collect before the kernel kills, so its limit follows the container's. */
function templatedVariable(variable: unknown): unknown {
  const fields = asRecord(variable);
  if (fields['name'] !== 'NODE_OPTIONS') return variable;
  const value = String(fields['value']).replace(
    /--max-old-space-size=\d+/,
    `--max-old-space-size=${expression('include "homeostat.oldSpaceMi" $')}`,
  );
  return { ...fields, value };
}

function recordAt(value: unknown, path: readonly string[]): Fields {
  return asRecord(valueAt(value, path));
}

function asRecord(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((item: unknown) => item) : [];
}
