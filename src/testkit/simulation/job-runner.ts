import { toTimestamp } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { Unstructured } from '../../base/object.ts';
import { keyOf } from '../../base/resource.ts';
import type { StoredEvent } from '../../devcluster/watch-cache.ts';
import type { KubeClient } from '../../kube/client.ts';
import { JOBS } from '../../kube/well-known.ts';
import type { Chance } from './chance.ts';
import { Lane } from './lane.ts';
import { BEGINNING_MS } from './process-clock.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** What a job runner stands on. */
export interface JobRunnerOptions {
  readonly client: () => KubeClient;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly chance: Chance;
  /** Whether Jobs may fail now. */
  readonly mayFail: () => boolean;
}

/** Of the Jobs that may fail so many do. */
const FAILING = 0.3;

/** Ends Jobs some seconds after they were created, as the controllers and nodes of a real cluster do. CronJobs are never due. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #lane = new Lane('jobs');

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Hears of each write, whoever made it. */
  stored({ type, resource, object }: StoredEvent): void {
    if (resource !== 'jobs.batch' || type !== 'ADDED') return;
    const { timeline, chance } = this.#options;
    timeline.after(this.#lane, chance.between(300, 5000), () => {
      this.#end(object).catch((error: unknown) => this.#options.trace.note('jobs', errorText(error)));
    });
  }

  async #end(job: Unstructured): Promise<void> {
    const { client, timeline, chance, mayFail, trace } = this.#options;
    const fails = mayFail() && chance.happens(FAILING);
    const at = toTimestamp(BEGINNING_MS + timeline.nowMs);
    const word = { type: fails ? 'Failed' : 'Complete', status: 'True', lastTransitionTime: at, lastProbeTime: at };
    const reason = fails ? { reason: 'BackoffLimitExceeded', message: 'as the scenario says' } : {};
    const status = {
      startTime: at,
      conditions: [{ ...word, ...reason }],
      ...(fails ? { failed: 1 } : { succeeded: 1, completionTime: at }),
    };
    trace.note('jobs', `${job.metadata.name} ${fails ? 'fails' : 'is complete'}`);
    const options = {
      signal: new AbortController().signal,
      fieldManager: 'job-controller',
      subresource: 'status',
    } as const;
    await client().patch(JOBS, keyOf(job), { type: 'merge', body: { status } }, options);
  }
}
