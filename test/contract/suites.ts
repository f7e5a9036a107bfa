import { admissionSuite } from './admission.suite.ts';
import { applySuite } from './apply.suite.ts';
import { authorizationSuite } from './authorization.suite.ts';
import { lifecycleSuite } from './lifecycle.suite.ts';
import { listsAndWatchesSuite } from './lists-and-watches.suite.ts';
import { builtinsSuite } from './builtins.suite.ts';
import { customResourcesSuite } from './custom-resources.suite.ts';
import { objectsSuite } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';

/** Everything devcluster and a real API server must agree on. */
export const SUITES: readonly Suite[] = [
  objectsSuite,
  builtinsSuite,
  customResourcesSuite,
  applySuite,
  listsAndWatchesSuite,
  lifecycleSuite,
  authorizationSuite,
  admissionSuite,
];
