import { cacheFaults } from './cache-faults.ts';
import { engineFaults } from './engine-faults.ts';
import { kindFaults } from './kind-faults.ts';
import { leaseFaults } from './lease-faults.ts';
import type { PlantedFault } from './planted-fault.ts';
import { queueFaults } from './queue-faults.ts';
import { statusFaults } from './status-faults.ts';

/** Every fault that is planted, in the order of the table. */
export const plantedFaults: readonly PlantedFault[] = [
  ...engineFaults,
  ...statusFaults,
  ...queueFaults,
  ...cacheFaults,
  ...leaseFaults,
  ...kindFaults,
];
