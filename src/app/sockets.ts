import { createAdmissionServer } from '../admission/server.ts';
import { createUndiciTransport } from '../kube/undici-transport.ts';
import { createCertificates } from './certificates.ts';
import { startOperationsServer } from './operations-server.ts';

/** What of a service touches sockets, or files that change on their own: a simulation puts memory in its place. */
export interface Sockets {
  readonly createTransport: typeof createUndiciTransport;
  readonly createAdmissionServer: typeof createAdmissionServer;
  readonly createCertificates: typeof createCertificates;
  readonly startOperationsServer: typeof startOperationsServer;
}

/** The machine's own. */
export const machineSockets: Sockets = {
  createTransport: createUndiciTransport,
  createAdmissionServer,
  createCertificates,
  startOperationsServer,
};
