import { applySuite } from './apply.suite.ts';
import { builtinsSuite } from './builtins.suite.ts';
import { customResourcesSuite } from './custom-resources.suite.ts';
import { objectsSuite } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

/** Everything devcluster and a real API server must agree on. */
export const SUITES: readonly Suite[] = [objectsSuite, builtinsSuite, customResourcesSuite, applySuite];
