import { invalid, type Rule, stateRule } from 'homeostat';
import type { Widget } from './schema.ts';

/** Rules run in the webhook, in the controller before it acts, and in `check`. */
export const rules: readonly Rule<Widget>[] = [
  stateRule({ id: 'widget.polite', tier: 'W' }, function* ({ spec: { text } }) {
    if (text.endsWith('!')) yield invalid(['spec', 'text'], text, 'must not shout');
  }),
];
