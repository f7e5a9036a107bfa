import { isRecord, isStage, STAGE_LABEL } from '../../sdk/index.ts';
import type { Environment } from './schema.ts';

/**
 * Trims and lower-cases the stage and mirrors it into its label. Idempotent. The object may not have met its schema yet, so a
 * stage that is no text is left for the schema to refuse.
 */
export function mirrorStage(environment: Environment): Environment {
  const spec: unknown = environment.spec;
  const given = isRecord(spec) ? spec['stage'] : undefined;
  if (typeof given !== 'string') return environment;
  const stage = given.trim().toLowerCase();
  // Stays out of the label, so that the schema's refusal speaks of the stage.
  if (!isStage(stage)) return environment;
  const { labels } = environment.metadata;
  if (given === stage && labels?.[STAGE_LABEL] === stage) return environment;
  return {
    ...environment,
    metadata: { ...environment.metadata, labels: { ...labels, [STAGE_LABEL]: stage } },
    spec: { ...environment.spec, stage },
  };
}
