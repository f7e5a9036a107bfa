import { isRecord } from '../../src/base/json.ts';
import type { KubeObject } from '../../src/base/object.ts';
import type { CelTwins } from '../../src/devcluster/cel-twins.ts';
import { type Finding, invalid, stateRule, transitionRule } from '../../src/rules/rule.ts';

const specOf = (object: KubeObject): Readonly<Record<string, unknown>> => {
  const spec: unknown = Reflect.get(object, 'spec');
  return isRecord(spec) ? spec : {};
};
const when = (wrong: boolean, finding: Finding): readonly Finding[] => (wrong ? [finding] : []);

/** The rules of the Widget definition, as TypeScript. */
export const WIDGET_TWINS: CelTwins = {
  type: { group: 'contract.example.com', plural: 'widgets' },
  rules: [
    stateRule(
      { id: 'widget.bad', tier: 'C', cel: { at: ['spec', 'name'], rule: "self != 'bad'", message: 'must not be bad' } },
      (object) => when(specOf(object)['name'] === 'bad', invalid(['spec', 'name'], 'bad', 'must not be bad')),
    ),
    stateRule(
      {
        id: 'widget.small',
        tier: 'C',
        cel: {
          at: ['spec'],
          rule: '!has(self.name) || self.size < 50',
          message: 'named ones are small',
          fieldPath: '.size',
        },
      },
      (object) => {
        const { name, size } = specOf(object);
        return when(name !== undefined && Number(size) >= 50, invalid(['spec', 'size'], size, 'named ones are small'));
      },
    ),
    transitionRule(
      {
        id: 'widget.grows',
        tier: 'C',
        cel: { at: ['spec'], rule: 'self.size >= oldSelf.size', message: 'may not shrink' },
      },
      (before, after) => {
        const shrunk = Number(specOf(after)['size']) < Number(specOf(before)['size']);
        return when(shrunk, invalid(['spec'], undefined, 'may not shrink'));
      },
    ),
  ],
};
