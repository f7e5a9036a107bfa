import { UsageError } from '../app/flag.ts';

/** How a command shows its result: for people, or for programs. */
export type OutputFormat = 'text' | 'json';

/** The flag that chooses it. */
export const OUTPUT_FLAG = {
  o: { type: 'text', placeholder: 'FORMAT', default: 'text', description: 'text, or json for programs' },
} as const;

/** Reads the flag's value. @throws UsageError for anything else */
export function readOutputFormat(value: string): OutputFormat {
  if (value !== 'text' && value !== 'json') throw new UsageError(`Flag -o: "${value}" is neither text nor json`);
  return value;
}
