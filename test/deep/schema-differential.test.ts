import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isRecord, type Json, jsonEqual } from '../../src/base/json.ts';
import type { CustomResource } from '../../src/base/object.ts';
import { apiVersionOf } from '../../src/base/resource.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { Rule } from '../../src/rules/rule.ts';
import type { Kind } from '../../src/sdk/kind.ts';
import { seededRandom } from '../../src/testkit/seeded-random.ts';
import { projectFolder } from '../architecture/project.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { BIG, SchemaCorpus, TREATMENTS } from '../support/schema-corpus.ts';

const OBJECTS_PER_KIND = 2100;
const AT_A_TIME = 12;
/** Differences that one failure shows. */
const SHOWN = 5;

const plane = await startControlPlane();
after(async () => plane.close());
await plane.kubectl(['apply', '--server-side', '-k', join(projectFolder, 'manifests', 'crd')]);
await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);

for (const kind of kinds) {
  test(`${OBJECTS_PER_KIND} objects of ${kind.type.kind} get the verdict and the defaults of the API server`, async () => {
    const corpus = new SchemaCorpus(seededRandom(20_261_129));
    const differences: string[] = [];
    const verdicts = { accepted: 0, refused: 0 };
    for (let index = 0; index < OBJECTS_PER_KIND; index += AT_A_TIME) {
      const texts = Array.from({ length: AT_A_TIME }, (_, offset) => textOf(kind, corpus, index + offset));
      await Promise.all(
        texts.map(async (text) => {
          const { accepted, difference } = await compare(kind, text);
          verdicts[accepted ? 'accepted' : 'refused'] += 1;
          if (difference !== undefined) differences.push(difference);
        }),
      );
    }
    assert.equal(differences.length, 0, `${differences.length} differ\n${differences.slice(0, SHOWN).join('\n')}`);
    // A corpus that is all of one verdict would show little.
    const share = verdicts.accepted / (verdicts.accepted + verdicts.refused);
    assert.ok(share > 0.1 && share < 0.9, JSON.stringify(verdicts));
  });
}

function textOf({ type, structure, samples }: Kind, corpus: SchemaCorpus, index: number): string {
  const treatment = TREATMENTS[index % TREATMENTS.length] ?? 'valid';
  const schema = structure.properties?.['spec'];
  if (schema === undefined) throw new Error(`${type.kind} has no spec`);
  // Samples are JSON, as manifests are.
  const sample = (samples.find((candidate) => candidate.kind === type.kind)?.['spec'] ?? {}) as Json;
  const spec = corpus.value(schema, treatment, sample);
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: 'x' }, spec };
  return JSON.stringify(object).replaceAll(`"${BIG}"`, '9007199254740993');
}

async function compare(
  kind: Kind,
  text: string,
): Promise<{ readonly accepted: boolean; readonly difference?: string }> {
  const { type, schema } = kind;
  const namespace = type.namespaced ? '/namespaces/default' : '';
  const path = `/apis/${apiVersionOf(type)}${namespace}/${type.plural}?dryRun=All`;
  const { code, body } = await plane.request('POST', path, text);
  // An object of the kind, or what passes for one.
  const ours = schema.prepare(JSON.parse(text) as CustomResource<unknown>);
  const broken = violationsOf(kind, ours);
  const accepted = code === 201;
  if (accepted !== (broken.length === 0)) {
    const why = accepted ? broken.join('; ') : JSON.stringify(isRecord(body) ? body['message'] : body);
    return {
      accepted,
      difference: `verdict: server ${code}, ours ${broken.length === 0 ? 'accepts' : 'refuses'}: ${why}\n  ${text}`,
    };
  }
  if (!accepted || !isRecord(body) || jsonEqual(body['spec'], ours.spec)) return { accepted };
  const [theirs, own] = [JSON.stringify(body['spec']), JSON.stringify(ours.spec)];
  return { accepted, difference: `object: ${text}\n  server: ${theirs}\n  ours:   ${own}` };
}

/** What the CRD refuses: its schema, then its CEL rules, by their twins. */
function violationsOf({ schema, rules }: Kind, object: CustomResource<unknown>): readonly string[] {
  const broken = schema.violations(object);
  if (broken.length > 0) return broken.map(({ path, detail }) => `${JSON.stringify(path)} ${detail}`);
  const context = { lookup: { get: () => undefined, byIndex: () => [] }, operatorNamespace: 'homeostat-system' };
  const inDefinition = (rule: Rule): boolean => rule.tier === 'C' && rule.about === 'state';
  return rules
    .filter(inDefinition)
    .flatMap((rule) =>
      rule.check({ type: 'create', after: object }, context).map(({ detail }) => `${rule.id} ${detail}`),
    );
}
