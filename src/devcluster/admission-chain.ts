import type { Operation } from '../base/hook.ts';
import type { Unstructured } from '../base/object.ts';
import type { Cluster } from './cluster.ts';
import { admitNamespace } from './namespace-admission.ts';
import type { User } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import type { Warnings } from './warnings.ts';
import type { WebhookDispatcher } from './webhook-dispatcher.ts';

/** One write, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a generated name that does not exist yet. */
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: Unstructured;
  /** Absent for CREATE. */
  readonly oldObject?: Unstructured;
  readonly options: object;
  readonly user: User;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly warnings: Warnings;
}

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
