// Stands for the program of the release before: the three kinds it had, and no others.
import { start } from '../../src/cli/start.ts';
import { clusterConfigKind } from '../../src/kinds/clusterconfig/index.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { teamConfigKind } from '../../src/kinds/teamconfig/index.ts';

process.exitCode = await start([clusterConfigKind, teamConfigKind, environmentKind], process);
