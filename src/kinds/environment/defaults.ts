import { isRecord } from '../../sdk/index.ts';
import { STAGE_LABEL } from './metadata-keys.ts';
import type { Environment } from './schema.ts';

/** What the schema accepts as a stage. Anything else stays out of the label, so that the refusal speaks of the stage. */
const STAGE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Trims and lower-cases the stage and mirrors it into its label. Idempotent. The object may not have met its schema yet, so a
 * stage that is no text is left for the schema to refuse.
 */
export function mirrorStage(environment: Environment): Environment {
  const spec: unknown = environment.spec;
  const given = isRecord(spec) ? spec['stage'] : undefined;
  if (typeof given !== 'string') return environment;
  const stage = given.trim().toLowerCase();
  if (!STAGE.test(stage)) return environment;
  const { labels } = environment.metadata;
  if (given === stage && labels?.[STAGE_LABEL] === stage) return environment;
  return {
    ...environment,
    metadata: { ...environment.metadata, labels: { ...labels, [STAGE_LABEL]: stage } },
    spec: { ...environment.spec, stage },
  };
}
