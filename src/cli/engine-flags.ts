import { setFlagsFromString } from 'node:v8';

/**
 * Does without Maglev, the middle one of V8's compilers. On Node 24 it has given wrong values and ended processes where many threads share
 * few cores, as in a Pod with a CPU limit (nodejs/node issue 64841); Node 22 has it off by itself. To be called as early as can be:
 * code that has been compiled by then stays.
 */
export function withoutMaglev(): void {
  setFlagsFromString('--no-maglev');
}
