import type { Sockets } from '../../app/sockets.ts';
import type { Transport } from '../../kube/transport.ts';
import { InMemoryAdmission } from './in-memory-admission.ts';

/** Memory in the place of a service's sockets. `made` is handed the admission server, which somebody has to call. */
export function memorySockets(transport: Transport, made: (admission: InMemoryAdmission) => void): Sockets {
  return {
    createTransport: () => ({ send: (request) => transport.send(request), close: () => Promise.resolve() }),
    createAdmissionServer: (options) => {
      const admission = new InMemoryAdmission(options);
      made(admission);
      return admission;
    },
    createCertificates: () => ({ source: NO_CERTIFICATES, phases: () => [], checks: () => [] }),
    startOperationsServer: () => Promise.resolve({ healthPort: 0, metricsPort: 0, close: () => Promise.resolve() }),
  };
}

/** Without TLS there is nothing to serve. */
const NO_CERTIFICATES: ReturnType<Sockets['createCertificates']>['source'] = {
  current: () => undefined,
  onChange: () => () => undefined,
  run: () => Promise.resolve(),
  problem: () => undefined,
  renewal: () => undefined,
};
