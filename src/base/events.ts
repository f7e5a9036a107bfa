import type { Ref } from './resource.ts';

/** One Kubernetes Event about an object. */
export interface ObjectEvent {
  readonly regarding: Ref & { readonly apiVersion: string; readonly resourceVersion?: string };
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from the fixed vocabulary. */
  readonly reason: string;
  /** What was done or tried, CamelCase: `Apply`, `Resolve`. */
  readonly action: string;
  /** At most 1024 characters; no times, ids or counts, so that equal events stay equal. */
  readonly note: string;
}

/** Events as a port. Recording never throws and never waits: a lost Event must not cost a reconcile. */
export interface EventRecorder {
  record(event: ObjectEvent): void;
}
