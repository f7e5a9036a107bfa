/** Before and after of one admission, with exactly the objects that exist. */
export type Change<T> =
  | { readonly type: 'create'; readonly after: T }
  | { readonly type: 'update'; readonly before: T; readonly after: T }
  | { readonly type: 'delete'; readonly before: T };
