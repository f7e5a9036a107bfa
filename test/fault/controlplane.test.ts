import { after, before } from 'node:test';
import { adminToken } from '../controlplane/servers.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { networkFaults } from './network-faults.ts';

let plane: ControlPlane;

before(async () => {
  plane = await startControlPlane();
});

after(() => plane.close());

networkFaults('control plane', () => ({ url: plane.server, ca: plane.ca, token: adminToken }));
