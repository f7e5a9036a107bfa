/** The parts between a person's `kubectl apply` and a verdict, in the order in which one rests on another. */
export const JOINTS = ['definitions', 'rights', 'service', 'registration', 'certificate', 'answers', 'leader'] as const;

/** One of {@link JOINTS}. */
export type Joint = (typeof JOINTS)[number];

/** What was found out about one part: that it is well, that it is broken and what to do, or that it cannot be seen from here. */
export interface Finding {
  readonly joint: Joint;
  /** What it is about: an object, a kind. */
  readonly subject: string;
  readonly state: 'well' | 'broken' | 'unseen';
  /** One sentence: what was found. */
  readonly text: string;
  /** What to do next; only where something is broken. */
  readonly remedy?: string;
}

/** What a finding is about. */
export type About = Pick<Finding, 'joint' | 'subject'>;

/** It is as it should be. */
export function well(about: About, text: string): Finding {
  return { ...about, state: 'well', text };
}

/** It is not. */
export function broken(about: About, text: string, remedy: string): Finding {
  return { ...about, state: 'broken', text, remedy };
}

/** It cannot be told from here, and something else shows it. */
export function unseen(about: About, text: string): Finding {
  return { ...about, state: 'unseen', text };
}

/** The first broken part: what others behind it may be broken by. `undefined` when all is well. */
export function firstBroken(findings: readonly Finding[]): Finding | undefined {
  return JOINTS.flatMap((joint) => findings.filter((finding) => finding.joint === joint)).find(
    ({ state }) => state === 'broken',
  );
}
