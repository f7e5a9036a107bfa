import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { Cluster } from './cluster.ts';
import { applyJsonPatch, PatchFailure } from './json-patch.ts';
import { normalize } from './object-decoder.ts';
import { listAt } from './raw-json.ts';
import type { ServedResource } from './served-resource.ts';
import { badRequest, internalError, StatusError } from './status-error.ts';
import { type Review, WebhookCaller, type WebhookCallerOptions, WebhookFault } from './webhook-caller.ts';
import type { WebhookCounters } from './webhook-counters.ts';
import { type MatchConditionTwins, matchWebhook, readWebhook, resourceSeen, type Webhook } from './webhook-matching.ts';

const MUTATING = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
const VALIDATING = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** Options of {@link WebhookDispatcher}. */
export interface WebhookDispatcherOptions extends WebhookCallerOptions {
  readonly matchConditions: MatchConditionTwins;
  readonly counters: WebhookCounters;
}

/**
 * Calls admission webhooks as the API server does: configurations by name, webhooks in list order, mutating ones in turn with
 * one reinvocation round, validating ones together. What a fault of a webhook means is decided by its failurePolicy.
 */
export class WebhookDispatcher {
  readonly #cluster: Cluster;
  readonly #caller: WebhookCaller;
  readonly #twins: MatchConditionTwins;
  readonly #counters: WebhookCounters;
  /** Read once for each version of a configuration. */
  readonly #known = new WeakMap<Unstructured, readonly Webhook[]>();

  constructor(cluster: Cluster, options: WebhookDispatcherOptions) {
    this.#cluster = cluster;
    this.#caller = new WebhookCaller(cluster, options);
    this.#twins = options.matchConditions;
    this.#counters = options.counters;
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
    const calls = this.#webhooks(VALIDATING, request).flatMap((hook) => {
      const seen = this.#seenBy(hook, request);
      return seen === undefined ? [] : [{ hook, seen }];
    });
    const results = await Promise.allSettled(calls.map(({ hook, seen }) => this.#review(hook, request, seen, false)));
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
      if (!candidates.includes(hook)) continue;
      const current = object === request.object ? request : withObject(request, object);
      const seen = this.#seenBy(hook, current);
      if (seen === undefined) continue;
      called.push(hook);
      const review = await this.#review(hook, current, seen, true);
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
    return this.#cluster.storage.list(storage).flatMap((configuration) => this.#webhooksOf(configuration));
  }

  #webhooksOf(configuration: Unstructured): readonly Webhook[] {
    const known = this.#known.get(configuration);
    if (known !== undefined) return known;
    const webhooks = listAt(configuration, 'webhooks').filter(isRecord).map(readWebhook);
    this.#known.set(configuration, webhooks);
    return webhooks;
  }

  /** The version in which a webhook is called for a request; undefined when it is not. */
  #seenBy(hook: Webhook, request: AdmissionRequest): ServedResource | undefined {
    const { storage, registry } = this.#cluster;
    const seen = resourceSeen(hook, request, registry);
    if (seen === undefined) return undefined;
    const namespace = storage.get('namespaces', request.namespace);
    return matchWebhook(hook, request, namespace, this.#twins) ? seen : undefined;
  }

  /** The answer of a webhook that allows; undefined when it failed and its policy is to go on. */
  async #review(
    hook: Webhook,
    request: AdmissionRequest,
    seen: ServedResource,
    mutating: boolean,
  ): Promise<Review | undefined> {
    if (request.dryRun && hook.sideEffects !== 'None' && hook.sideEffects !== 'NoneOnDryRun') {
      throw badRequest(`admission webhook "${hook.name}" does not support dry run`);
    }
    const stage = mutating ? 'admit' : 'validating';
    try {
      const review = await this.#caller.call(hook, request, seen, mutating);
      for (const text of review.warnings) request.warnings.add(text);
      if (review.allowed) return review;
      this.#counters.rejected(hook.name, stage, 'no_error');
      throw denial(hook.name, review);
    } catch (error) {
      if (!(error instanceof WebhookFault)) throw error;
      this.#cluster.log.warn('An admission webhook failed', {
        webhook: hook.name,
        policy: hook.failurePolicy,
        fault: error.message,
      });
      if (hook.failurePolicy === 'Ignore') {
        this.#counters.failedOpen(hook.name, stage);
        return undefined;
      }
      this.#counters.rejected(hook.name, stage, 'calling_webhook_error');
      throw internalError(`failed calling webhook "${hook.name}": ${error.message}`);
    }
  }

  #patched(hook: Webhook, request: AdmissionRequest, review: Review): Unstructured | undefined {
    const { object, resource } = request;
    if (review.patch === undefined || review.patch.length === 0) return object;
    if (object === undefined) {
      this.#counters.rejected(hook.name, 'admit', 'apiserver_internal_error');
      throw internalError(
        `admission webhook "${hook.name}" attempted to modify the object, which is not supported for this operation`,
      );
    }
    try {
      // A patched object is decoded again, which refuses what is no object of this kind.
      return normalize(resource, applyJsonPatch(object, review.patch) as Unstructured);
    } catch (error) {
      this.#counters.rejected(hook.name, 'admit', 'apiserver_internal_error');
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
