import type { PlannedFault } from './scenario.ts';
import type { World } from './world.ts';

/** Sees to the faults that have a moment and strike something else than one request; the gate of the network carries out the others. */
export function planTimedFaults(world: World, faults: readonly PlannedFault[]): void {
  for (const fault of faults) {
    switch (fault.type) {
      case 'stop':
        world.at(fault.atMs, () => world.stop(fault.replica, fault.downMs));
        break;
      case 'pause':
        world.at(fault.atMs, () => world.pause(fault.replica, fault.forMs));
        break;
      case 'cutWatches':
        world.at(fault.atMs, () => {
          if (fault.compact) world.cluster.faults.compact();
          world.endWatches(fault.plural, fault.compact ? 'expired' : 'silently');
        });
        break;
      case 'oldServer':
        world.at(fault.atMs + fault.relistMs, () => world.endWatches('*', 'expired'));
        break;
      case 'blind':
        world.at(fault.atMs, () => world.endWatches(fault.plural, 'silently'));
        if (fault.compact) world.at(fault.atMs + fault.forMs, () => world.cluster.faults.compact());
        break;
      default:
        break;
    }
  }
}
