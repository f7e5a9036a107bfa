import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { table } from '../../../src/testkit/table.ts';
import { environmentRows } from '../../support/environment-rows.ts';

table(environmentKind, environmentRows, { others: kinds });
