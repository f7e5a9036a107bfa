import { type CustomResource, defineKind, invalid, type Kind, list, object, type Static, stateRule, string } from 'homeostat';

const spec = object(
  {
    colours: list(string({ description: 'A colour.', maxLength: 20 }), {
      description: 'Colours that go together.',
      minItems: 1,
      maxItems: 16,
      listType: 'set',
    }),
  },
  { description: 'What is on this palette.' },
);

type Palette = CustomResource<Static<typeof spec>>;

/** Palette: nothing follows from it by itself, so it has no steps: a CRD and hooks are all it gets. */
export const paletteKind: Kind = defineKind({
  type: { group: 'example.com', version: 'v1alpha1', kind: 'Palette', plural: 'palettes', namespaced: false },
  singular: 'palette',
  shortNames: [],
  description: 'Colours that go together.',
  spec,
  columns: [{ name: 'COLOURS', type: 'string', jsonPath: '.spec.colours' }],
  rules: [
    stateRule<Palette>({ id: 'palette.quiet', tier: 'W' }, function* ({ spec: { colours } }) {
      for (const [index, colour] of colours.entries()) {
        if (colour === 'neon') yield invalid(['spec', 'colours', index], colour, 'must not glare');
      }
    }),
  ],
  samples: [
    {
      apiVersion: 'example.com/v1alpha1',
      kind: 'Palette',
      metadata: { name: 'autumn' },
      spec: { colours: ['rust', 'ochre'] },
    },
  ],
});
