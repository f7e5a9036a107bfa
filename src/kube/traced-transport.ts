import { describeAnswer } from '../base/answer-span.ts';
import { SILENT_TRACER, type SpanStart, type Tracer } from '../base/tracer.ts';
import type { TransportRequest } from './transport.ts';
import type { SocketTransport } from './undici-transport.ts';

/** Beginnings of the API server's paths, and the namespace within: what is left is the resource, its name and its subresource. */
const PREFIX = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\//;

/**
 * A transport whose requests are spans where they are part of a review or a reconcile; a request that is sent again is another span.
 * The API server gets the span's `traceparent`, so that its own spans, if it records any, belong to the same trace. The silent tracer
 * changes nothing.
 */
export function tracedTransport(transport: SocketTransport, tracer: Tracer, server: URL): SocketTransport {
  if (tracer === SILENT_TRACER) return transport;
  return {
    close: () => transport.close(),
    send: (request) =>
      tracer.part(requestSpan(request, server), async (span) => {
        if (!span.recorded) return transport.send(request);
        const response = await transport.send({ ...request, headers: { ...request.headers, ...span.headers() } });
        describeAnswer(span, 'The API server', response.status);
        return response;
      }),
  };
}

/** Named by method and resource; named and described as OpenTelemetry does a request of an HTTP client. */
function requestSpan({ method, path }: TransportRequest, server: URL): SpanStart {
  const [plain = ''] = path.split('?');
  const [resource = '', , subresource] = plain.replace(PREFIX, '').split('/');
  return {
    name: [method, subresource === undefined ? resource : `${resource}/${subresource}`].join(' '),
    kind: 'client',
    attributes: () => ({
      'http.request.method': method,
      'url.full': `${server.origin}${plain}`,
      'server.address': server.hostname,
      'server.port': Number(server.port === '' ? 443 : server.port),
    }),
  };
}
