import type { Unstructured } from '../base/object.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { Cluster } from './cluster.ts';
import { admitNamespace } from './namespace-admission.ts';
import type { WebhookDispatcher } from './webhook-dispatcher.ts';

/** Admission in the API server's order: namespace lifecycle, then mutating webhooks; validating webhooks after validation. */
export class AdmissionChain {
  readonly #cluster: Cluster;
  readonly #webhooks: WebhookDispatcher;

  constructor(cluster: Cluster, webhooks: WebhookDispatcher) {
    this.#cluster = cluster;
    this.#webhooks = webhooks;
  }

  /** The object after mutation; the request's own object when nothing changed. Throws a StatusError for a refusal. */
  async mutate(request: AdmissionRequest): Promise<Unstructured | undefined> {
    admitNamespace(this.#cluster.storage, request);
    return this.#webhooks.mutate(request);
  }

  /** Throws a StatusError when a validating webhook refuses. */
  async validate(request: AdmissionRequest): Promise<void> {
    await this.#webhooks.validate(request);
  }
}
