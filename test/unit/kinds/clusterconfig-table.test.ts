import { clusterConfigKind } from '../../../src/kinds/clusterconfig/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { table } from '../../../src/testkit/table.ts';
import { clusterConfigRows } from '../../support/cluster-config-rows.ts';

table(clusterConfigKind, clusterConfigRows, { others: kinds });
