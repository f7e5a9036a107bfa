import type { Transport, TransportRequest, TransportResponse } from '../kube/transport.ts';

/** A transport that keeps the `Warning` headers of the answers: what the API server and its webhooks say beside a success. */
export class WarningRecorder implements Transport {
  readonly #inner: Transport;
  #warnings: string[] = [];

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner.send(request);
    const warning = response.headers['warning'];
    if (warning !== undefined) this.#warnings.push(warning);
    return response;
  }

  /** What has come since the last call. */
  take(): readonly string[] {
    const taken = this.#warnings;
    this.#warnings = [];
    return taken;
  }
}
