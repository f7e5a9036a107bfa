import { CRON_JOBS, type Manifest } from '../../sdk/index.ts';

const POD = '/spec/jobTemplate/spec/template/spec';

/** How CronJobs of backups are compared with what is there. */
export const cronJobChildren = {
  type: CRON_JOBS,
  // Every member that the API server would fill in is set.
  normalise: (manifest: Manifest): Manifest => manifest,
  quantities: ['containers', 'initContainers'].flatMap((list) =>
    ['limits', 'requests'].map((member) => `${POD}/${list}/*/resources/${member}/*`),
  ),
};
