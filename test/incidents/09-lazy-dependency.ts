/** What the code expects of a package that is loaded when it is first needed. */
export interface LazyDependency {
  render(text: string): string;
}

/** Loads a later release of that package, in which the method has another name: the types were right when they were written. */
export function loadWithoutMethod(): Promise<LazyDependency> {
  const release: unknown = { renderText: (text: string) => text };
  return Promise.resolve(release as LazyDependency);
}
