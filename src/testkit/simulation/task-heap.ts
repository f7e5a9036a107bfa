import type { Lane } from './lane.ts';

/** One piece of work that is due at a moment of virtual time. */
export interface Task {
  dueMs: number;
  /** Position among all tasks ever set, which keeps those of one lane in order. */
  readonly order: number;
  readonly lane: Lane;
  run: () => void;
  cancelled: boolean;
}

/** Tasks by due time, then by the order in which they were set: a binary heap. */
export class TaskHeap {
  readonly #tasks: Task[] = [];

  get first(): Task | undefined {
    return this.#tasks[0];
  }

  push(task: Task): void {
    const tasks = this.#tasks;
    let at = tasks.length;
    tasks.push(task);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = tasks[above];
      if (parent === undefined || !isBefore(task, parent)) break;
      tasks[at] = parent;
      at = above;
    }
    tasks[at] = task;
  }

  pop(): Task | undefined {
    const tasks = this.#tasks;
    const first = tasks[0];
    const last = tasks.pop();
    if (last === undefined || tasks.length === 0) return first;
    this.#sink(last);
    return first;
  }

  /** Puts a task at the top and lets it sink to its place. */
  #sink(task: Task): void {
    const tasks = this.#tasks;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const leftTask = tasks[left];
      if (leftTask === undefined) break;
      const rightTask = tasks[left + 1];
      const takeRight = rightTask !== undefined && isBefore(rightTask, leftTask);
      const child = takeRight ? rightTask : leftTask;
      if (!isBefore(child, task)) break;
      tasks[at] = child;
      at = takeRight ? left + 1 : left;
    }
    tasks[at] = task;
  }
}

function isBefore(left: Task, right: Task): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}
