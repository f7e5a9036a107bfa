import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientHttp2Stream, constants } from 'node:http2';

/** What Node tells when an HTTP/2 client has a new stream (Node: diagnostics_channel, http2.client.stream.created). */
interface StreamCreated {
  readonly stream: ClientHttp2Stream;
  /** Those of the request, or those that came. */
  readonly headers: Readonly<Record<string, unknown>>;
}

const CHANNEL = 'http2.client.stream.created';

/**
 * Ends HTTP/2 streams that begin with an answer, until the function that it returns is called.
 *
 * When an answer is on its way while its request is aborted, Node has forgotten the stream already and makes one anew, as if
 * the server had pushed it (node: lib/internal/http2/core.js, onSessionHeaders). Nobody knows that one: it stays as long as its connection, and the
 * first error of the connection is raised on it, where nobody listens, which ends the process.
 */
export function endLateAnswers(): () => void {
  const onCreated = (message: unknown): void => {
    const { stream, headers } = message as StreamCreated;
    if (!(constants.HTTP2_HEADER_STATUS in headers)) return;
    // It was given up; how it ends concerns nobody.
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
  };
  subscribe(CHANNEL, onCreated);
  return () => void unsubscribe(CHANNEL, onCreated);
}
