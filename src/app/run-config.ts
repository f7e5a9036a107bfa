import { CERTIFICATE_FLAGS, checkCertificateFlags } from './certificate-flags.ts';
import { type FlagTable, type FlagValues, parseArguments, refuseArguments, UsageError } from './flag.ts';
import { readShardFlags, SHARD_FLAGS } from './shard-flags.ts';
import { readVaultSettings, VAULT_FLAGS } from './vault-flags.ts';

/** Flags of `homeostat run`. */
export const RUN_FLAGS = {
  kubeconfig: {
    type: 'text',
    placeholder: 'FILE',
    description: 'Use this kubeconfig instead of the Pod’s own credentials',
  },
  context: { type: 'text', placeholder: 'NAME', description: 'Context of the kubeconfig' },
  'service-account-dir': {
    type: 'text',
    placeholder: 'DIR',
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
    description: 'Folder with the Pod’s own credentials: token, ca.crt and namespace',
  },
  namespace: {
    type: 'text',
    placeholder: 'NAME',
    env: 'POD_NAMESPACE',
    default: 'homeostat-system',
    description: 'Namespace of this service: its Lease, its Service',
  },
  name: {
    type: 'text',
    placeholder: 'NAME',
    env: 'POD_NAME',
    description: 'Name of this replica; a random one where absent',
  },
  'webhook-host': {
    type: 'text',
    placeholder: 'ADDRESS',
    default: '0.0.0.0',
    description: 'Address the webhooks listen on',
  },
  'webhook-port': { type: 'port', default: '9443', description: 'Port the webhooks listen on' },
  image: {
    type: 'text',
    placeholder: 'IMAGE',
    env: 'POD_IMAGE',
    default: 'homeostat',
    description: 'Image of this service, for the Jobs it makes',
  },
  ...CERTIFICATE_FLAGS,
  'health-host': {
    type: 'text',
    placeholder: 'ADDRESS',
    default: '0.0.0.0',
    description: 'Address of health and metrics',
  },
  'health-port': { type: 'port', default: '8081', description: 'Port of /livez and /readyz' },
  'metrics-port': { type: 'port', default: '8443', description: 'Port of /metrics' },
  'metrics-secure': {
    type: 'boolean',
    default: 'true',
    description: 'Serve /metrics over TLS, to those with a bearer token that may get the URL /metrics',
  },
  ...SHARD_FLAGS,
  'leader-elect': { type: 'boolean', default: 'true', description: 'Let one replica at a time reconcile' },
  workers: { type: 'integer', default: '4', least: 1, description: 'Objects of one kind reconciled at the same time' },
  recheck: {
    type: 'duration',
    default: '10m',
    description: 'How often what is kept outside the cluster is compared, a tenth more or less; 0s for never',
  },
  resync: {
    type: 'duration',
    default: '10h',
    description: 'How often every object is looked at without a cause; 0s for never',
  },
  ...VAULT_FLAGS,
  'shutdown-delay': {
    type: 'duration',
    default: '10s',
    description: 'How long to go on answering after a stop was asked for',
  },
  drain: {
    type: 'duration',
    default: '25s',
    description: 'How long running reconciles and reviews may take at a stop',
  },
  'log-level': {
    type: 'text',
    placeholder: 'LEVEL',
    default: 'info',
    description: 'debug, info, warn, error or silent',
  },
} as const satisfies FlagTable;

/** What `homeostat run` was asked to do. Durations in milliseconds. */
export type RunConfig = FlagValues<typeof RUN_FLAGS>;

/** Environment variables, as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** A level the log knows. */
export type Level = (typeof LEVELS)[number];

/** Reads the command line of `run`. @throws UsageError */
export function readRunConfig(argv: readonly string[], env: Environment): RunConfig {
  const { flags, words } = parseArguments(RUN_FLAGS, argv, env);
  refuseArguments('run', words);
  readLevel(flags['log-level']);
  if (flags.workers < 1) throw new UsageError('Flag --workers must be at least 1');
  readShardFlags(flags);
  checkCertificateFlags(flags);
  readVaultSettings(flags);
  return flags;
}

/** Reads a log level. @throws UsageError */
export function readLevel(text: string): Level {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`Flag --log-level: "${text}" is none of ${LEVELS.join(', ')}`);
  return level;
}
