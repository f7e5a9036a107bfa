/** Does something again and again, such as moving a clock, until some work has settled; gives what came of the work. */
export async function untilSettled<Result>(work: Promise<Result>, again: () => Promise<unknown>): Promise<Result> {
  const state = { settled: false };
  const settle = (): void => void (state.settled = true);
  work.then(settle, settle);
  while (!state.settled) await again();
  return work;
}
