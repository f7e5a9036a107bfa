/** One promise that was broken, as a person reads it. */
export interface Finding {
  /** Which promise: a stable name, for tables and for telling two failures apart. */
  readonly oracle: string;
  readonly message: string;
  /** When it showed, in virtual milliseconds. */
  readonly atMs: number;
}
