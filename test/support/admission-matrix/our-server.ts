import { createAdmissionServer } from '../../../src/admission/server.ts';
import type { AdmissionSlice } from '../../../src/admission/slice.ts';
import { systemClock } from '../../../src/app/system-ports.ts';
import type { CertificateSource, ServingPair } from '../../../src/certs/certificate-source.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { invalid, type Rule, stateRule } from '../../../src/rules/rule.ts';
import { compileSchema } from '../../../src/schema/compile.ts';
import { type Gadget, gadgetSlice, GADGETS, keepRule, sizeRule } from '../../unit/admission/gadget.ts';
import { ScriptedClient } from '../scripted-client.ts';
import { recordingLogger, recordingMetrics } from '../silent-ports.ts';
import { CASES, GADGET_SCHEMA, hookOf } from './fixture.ts';

/** Our admission server, with a kind whose objects say what goes wrong. */
export interface OurServer {
  readonly port: number;
  /** Reviews of a hook that got a verdict. */
  verdicts(hook: string): number;
  close(): Promise<void>;
}

/** Starts the server of this project on loopback with the hooks that are ours. */
export async function startOurServer(pair: ServingPair): Promise<OurServer> {
  const metrics = recordingMetrics();
  const hooks = CASES.filter(({ situation }) => situation.webhook.by === 'ours').map(hookOf);
  const server = createAdmissionServer({
    slices: [matrixSlice()],
    hooks,
    certificates: sourceOf(pair),
    lookup: { get: () => undefined, byIndex: () => [] },
    client: new SilentClient(),
    clock: systemClock,
    log: recordingLogger(),
    metrics,
    host: '127.0.0.1',
    port: 0,
    operatorNamespace: 'homeostat-system',
  });
  const { port } = await server.listen();
  return {
    port,
    verdicts: (hook) =>
      ['CREATE', 'UPDATE', 'DELETE'].reduce(
        (sum, operation) =>
          sum +
          ['allow', 'deny'].reduce(
            (part, verdict) => part + metrics.value('homeostat_admission_verdicts_total', { hook, operation, verdict }),
            0,
          ),
        0,
      ),
    close: async () => server.close(1000),
  };
}

/** An API server that never answers an access review. */
class SilentClient extends ScriptedClient {
  override create(): Promise<never> {
    return new Promise(() => undefined);
  }
}

function matrixSlice(): AdmissionSlice {
  return gadgetSlice({
    schema: compileSchema(GADGET_SCHEMA),
    gadgetRules: [sizeRule, keepRule, oldStageRule, throwingRule, waitingRule()],
    accessReviews: (change) => {
      // The rules of the slice have been closed over gadgets already.
      const stage = change.type === 'delete' ? undefined : (change.after as Gadget).spec.stage;
      if (stage !== 'hangs') return [];
      return [{ verb: 'use', group: GADGETS.group, resource: 'stages', path: ['spec', 'stage'], denial: () => 'no' }];
    },
  });
}

const oldStageRule: Rule<Gadget> = stateRule({ id: 'gadget.old-stage', tier: 'W' }, function* ({ spec }) {
  if (spec.stage === 'old') yield { ...invalid(['spec', 'stage'], spec.stage, 'is old'), severity: 'warn' };
});

const throwingRule: Rule<Gadget> = stateRule({ id: 'gadget.throws', tier: 'W' }, ({ spec }) => {
  if (spec.stage === 'throws') throw new Error('a mistake of the rule');
  return [];
});

/** Knows nothing of an object at its first sight, as while caches fill. */
function waitingRule(): Rule<Gadget> {
  const seen = new Set<string>();
  return stateRule({ id: 'gadget.waits', tier: 'W' }, ({ metadata, spec }) => {
    if (spec.stage !== 'waits' || seen.has(metadata.name)) return [];
    seen.add(metadata.name);
    throw new CacheNotSynced(GADGETS);
  });
}

function sourceOf(pair: ServingPair): CertificateSource {
  return { current: () => pair, onChange: () => () => undefined, run: async () => undefined, problem: () => undefined };
}
