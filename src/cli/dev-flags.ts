import type { FlagTable } from '../app/flag.ts';

/** Flags of `homeostat dev`. */
export const DEV_FLAGS = {
  once: {
    type: 'boolean',
    default: 'false',
    description: 'End as soon as all samples are Ready, or with an error when they are not',
  },
  timeout: { type: 'duration', default: '60s', description: 'How long the samples may take' },
  samples: { type: 'boolean', default: 'true', description: 'Apply the samples of all kinds' },
  kubeconfig: {
    type: 'text',
    placeholder: 'FILE',
    description: 'Work on the cluster of this kubeconfig instead of the embedded one',
  },
  context: {
    type: 'text',
    placeholder: 'NAME',
    description: 'Work on the cluster of this context instead of the embedded one',
  },
  'webhook-address': {
    type: 'text',
    placeholder: 'ADDRESS',
    default: '127.0.0.1',
    description: 'Where that cluster’s API server reaches this machine',
  },
  'watch-delay': {
    type: 'duration',
    default: '50ms',
    description: 'How late watch events of the embedded API server arrive',
  },
  'log-level': { type: 'text', placeholder: 'LEVEL', default: 'info', description: 'Level of the log file' },
} as const satisfies FlagTable;
