/** Why the API server refused for a webhook, in its own words. */
export type RejectionType = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

/** The webhook's stage, as the API server's metrics name it. */
export type WebhookStage = 'admit' | 'validating';

/** The API server's counters of its webhooks (apiserver pkg/admission/metrics), as far as they say what a failure policy did. */
export class WebhookCounters {
  readonly #samples = new Map<string, number>();

  /** Counts a request that was refused for a webhook. */
  rejected(webhook: string, stage: WebhookStage, type: RejectionType): void {
    this.#count(`apiserver_admission_webhook_rejection_count{error_type="${type}",name="${webhook}",type="${stage}"}`);
  }

  /** Counts a request that went on although the webhook failed. */
  failedOpen(webhook: string, stage: WebhookStage): void {
    this.#count(`apiserver_admission_webhook_fail_open_count{name="${webhook}",type="${stage}"}`);
  }

  /** All samples in the text format of Prometheus. */
  text(): string {
    return [...this.#samples].map(([sample, count]) => `${sample} ${count}\n`).join('');
  }

  #count(sample: string): void {
    this.#samples.set(sample, (this.#samples.get(sample) ?? 0) + 1);
  }
}
