import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { Cluster } from './cluster.ts';
import { applyJsonPatch, PatchFailure } from './json-patch.ts';
import { normalize } from './object-decoder.ts';
import { listAt } from './raw-json.ts';
import { badRequest, internalError, StatusError } from './status-error.ts';
import { type Review, WebhookCaller, type WebhookCallerOptions, WebhookFault } from './webhook-caller.ts';
import { type MatchConditionTwins, matchWebhook, readWebhook, type Webhook } from './webhook-matching.ts';

const MUTATING = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
const VALIDATING = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** Options of {@link WebhookDispatcher}. */
export interface WebhookDispatcherOptions extends WebhookCallerOptions {
  readonly matchConditions: MatchConditionTwins;
}

/**
 * Calls admission webhooks as the API server does: configurations by name, webhooks in list order, mutating ones in turn with
 * one reinvocation round, validating ones together. What a fault of a webhook means is decided by its failurePolicy.
 */
export class WebhookDispatcher {
  readonly #cluster: Cluster;
  readonly #caller: WebhookCaller;
  readonly #twins: MatchConditionTwins;

  constructor(cluster: Cluster, options: WebhookDispatcherOptions) {
    this.#cluster = cluster;
    this.#caller = new WebhookCaller(cluster, options);
    this.#twins = options.matchConditions;
  }

  /** Runs the mutating webhooks; returns the object they made. */
  async mutate(request: AdmissionRequest): Promise<Unstructured | undefined> {
    const hooks = this.#webhooks(MUTATING, request);
    const first = await this.#round(hooks, request, hooks);
    if (!first.changed) return request.object;
    const again = first.called.filter(({ reinvocationPolicy }) => reinvocationPolicy === 'IfNeeded');
    const due = again.filter((hook) => hook !== first.lastToChange);
    const second = await this.#round(due, withObject(request, first.object), due);
    return second.object;
  }

  /** Runs the validating webhooks. The first refusal in configuration order is thrown; all are called. */
  async validate(request: AdmissionRequest): Promise<void> {
    const hooks = this.#webhooks(VALIDATING, request).filter((hook) => this.#applies(hook, request));
    const results = await Promise.allSettled(hooks.map((hook) => this.#review(hook, request, false)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #round(
    hooks: readonly Webhook[],
    request: AdmissionRequest,
    candidates: readonly Webhook[],
  ): Promise<{
    object: Unstructured | undefined;
    changed: boolean;
    called: readonly Webhook[];
    lastToChange?: Webhook;
  }> {
    let { object } = request;
    let lastToChange: Webhook | undefined;
    const called: Webhook[] = [];
    for (const hook of hooks) {
      const current = withObject(request, object);
      if (!candidates.includes(hook) || !this.#applies(hook, current)) continue;
      called.push(hook);
      const review = await this.#review(hook, current, true);
      const next = review === undefined ? object : this.#patched(hook, current, review);
      if (next === object || jsonEqual(next, object)) continue;
      object = next;
      lastToChange = hook;
    }
    const changed = lastToChange !== undefined;
    return { object, changed, called, ...(lastToChange === undefined ? {} : { lastToChange }) };
  }

  #webhooks(storage: string, request: AdmissionRequest): readonly Webhook[] {
    // Configurations are never sent to webhooks, so that a broken one can always be deleted.
    if (request.resource.group === 'admissionregistration.k8s.io') return [];
    return this.#cluster.storage
      .list(storage)
      .flatMap((configuration) => listAt(configuration, 'webhooks').filter(isRecord).map(readWebhook));
  }

  #applies(hook: Webhook, request: AdmissionRequest): boolean {
    const namespace = this.#cluster.storage.get('namespaces', request.namespace);
    return matchWebhook(hook, request, namespace, this.#twins);
  }

  /** The answer of a webhook that allows; undefined when it failed and its policy is to go on. */
  async #review(hook: Webhook, request: AdmissionRequest, mutating: boolean): Promise<Review | undefined> {
    if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
      throw badRequest(`admission webhook "${hook.name}" does not support dry run`);
    }
    try {
      const review = await this.#caller.call(hook, request, mutating);
      for (const text of review.warnings) request.warnings.add(text);
      if (!review.allowed) throw denial(hook.name, review);
      return review;
    } catch (error) {
      if (!(error instanceof WebhookFault)) throw error;
      this.#cluster.log.warn('An admission webhook failed', {
        webhook: hook.name,
        policy: hook.failurePolicy,
        fault: error.message,
      });
      if (hook.failurePolicy === 'Ignore') return undefined;
      throw internalError(`failed calling webhook "${hook.name}": ${error.message}`);
    }
  }

  #patched(hook: Webhook, request: AdmissionRequest, review: Review): Unstructured | undefined {
    const { object, resource } = request;
    if (review.patch === undefined || review.patch.length === 0) return object;
    if (object === undefined) {
      throw internalError(
        `admission webhook "${hook.name}" attempted to modify the object, which is not supported for this operation`,
      );
    }
    try {
      // A patched object is decoded again, which refuses what is no object of this kind.
      return normalize(resource, applyJsonPatch(object, review.patch) as Unstructured);
    } catch (error) {
      if (error instanceof PatchFailure) throw internalError(error.message);
      throw error;
    }
  }
}

function withObject(request: AdmissionRequest, object: Unstructured | undefined): AdmissionRequest {
  return object === undefined ? request : { ...request, object };
}

function denial(hook: string, { status }: Review): StatusError {
  const given = status?.code ?? 0;
  const code = given < 400 ? 400 : given;
  const why = [status?.message, status?.reason].find((text) => text !== undefined && text !== '');
  const start = `admission webhook "${hook}" denied the request`;
  const text = why === undefined ? `${start} without explanation` : `${start}: ${why}`;
  return new StatusError(
    code,
    status?.reason ?? '',
    text,
    status?.details === undefined ? {} : { details: status.details },
  );
}
