import { ruleTable } from 'homeostat/testkit';
import { paletteKind } from './index.ts';

const palette = {
  apiVersion: 'example.com/v1alpha1',
  kind: 'Palette',
  metadata: { name: 'autumn' },
  spec: { colours: ['rust', 'ochre'] },
};

ruleTable(paletteKind, {
  'quiet colours are let through': { after: palette, says: [] },
  'one that glares is refused where it stands': {
    after: { ...palette, spec: { colours: ['rust', 'neon'] } },
    says: ['spec.colours[1]: Invalid value: "neon": must not glare'],
  },
});
