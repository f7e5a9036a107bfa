/** One change of one file of src. */
export interface Edit {
  /** Path below src. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A fault as somebody might make it: a small change of the source that the simulator must notice. */
export interface PlantedFault {
  /** What goes wrong, in a few words; unique. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Kinds whose simulations are run, one after the other, until one breaks a promise. */
  readonly subjects: readonly string[];
}

/** The text of a file with an edit made. @throws when what is to be replaced does not stand there exactly once */
export function edited(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`"${find}" stands in src/${file} ${parts.length - 1} times, not once`);
  return parts.join(replace);
}
