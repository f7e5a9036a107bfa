import type { X509Certificate } from 'node:crypto';
import { connect, type ConnectionOptions } from 'node:tls';

/**
 * The certificate that a TLS server shows. Rejects with what the connection fails with, and with the signal's reason when it fires
 * first. What is verified the options say.
 */
export function peerCertificate(options: ConnectionOptions, signal: AbortSignal): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate());
      // Not destroyed: the server would take the reset for a handshake that failed.
      socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new Error('the connection was closed'));
    });
    if (signal.aborted) abort();
  });
}
