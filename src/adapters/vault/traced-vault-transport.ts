import { describeAnswer } from '../../base/answer-span.ts';
import { SILENT_TRACER, type Tracer } from '../../base/tracer.ts';
import type { VaultTransport } from './vault-transport.ts';

/**
 * A transport whose requests are spans where they are part of a reconcile. Vault is told nothing of the trace. The silent tracer changes
 * nothing.
 */
export function tracedVaultTransport(transport: VaultTransport, tracer: Tracer): VaultTransport {
  if (tracer === SILENT_TRACER) return transport;
  return {
    vouchesFor: (hostname) => transport.vouchesFor(hostname),
    close: () => transport.close(),
    send: (request) => {
      const { method, path } = request;
      const [plain = ''] = path.split('?');
      const attributes = { 'http.request.method': method, 'url.path': plain };
      return tracer.part({ name: `${method} vault`, kind: 'client', attributes: () => attributes }, async (span) => {
        const answer = await transport.send(request);
        describeAnswer(span, 'Vault', answer.status);
        return answer;
      });
    },
  };
}
