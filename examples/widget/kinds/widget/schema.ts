import { type CustomResource, object, type ResourceType, type Static, string, withDefault } from 'homeostat';

/** The resource, as it stands in paths and RBAC rules. */
export const type: ResourceType = {
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

/** What a person writes. The CRD, the validator and the TypeScript type come from here. */
export const spec = object(
  {
    text: string({ description: 'What to say.', minLength: 1, maxLength: 80 }),
    greeted: withDefault(string({ description: 'Who is greeted.', maxLength: 40 }), 'world'),
  },
  { description: 'What this widget is to be.' },
);

export type Widget = CustomResource<Static<typeof spec>>;
