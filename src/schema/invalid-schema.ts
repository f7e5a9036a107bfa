import { HomeostatError } from '../base/errors.ts';

/**
 * A schema is not structural, or holds a word or a format that this project does not understand. It is refused whole where it
 * is compiled, since half a schema would accept what the API server refuses. Code `HOMEOSTAT_SCHEMA_INVALID`.
 */
export class InvalidSchema extends HomeostatError {
  /** One sentence for each defect, beginning with the path of the schema node. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('HOMEOSTAT_SCHEMA_INVALID', `The schema cannot be used; correct these places: ${problems.join('; ')}`);
    this.problems = problems;
  }
}
