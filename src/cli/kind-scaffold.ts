/** What a new kind is called, and where it imports from. */
export interface ScaffoldNames {
  /** `Greeting` */
  readonly kind: string;
  /** `greeting`: lower-case, as kubectl takes it. */
  readonly singular: string;
  /** The same as the name of a value: `greeting`, `messageBoard`. */
  readonly value: string;
  /** `greetings` */
  readonly plural: string;
  /** `example.com` */
  readonly group: string;
  /** Specifier of the sdk, as the kind's files spell it. */
  readonly sdk: string;
  /** Specifier of the test kit, as the test spells it. */
  readonly testkit: string;
  /** Specifier of the kind's folder, as the test spells it. */
  readonly folder: string;
}

/** The files of a new kind by name: one that keeps a ConfigMap with a text, for its author to change. */
export function kindFiles(names: ScaffoldNames): Readonly<Record<string, string>> {
  return {
    'schema.ts': schemaFile(names),
    'rules.ts': rulesFile(names),
    'steps.ts': stepsFile(names),
    'status.ts': statusFile(names),
    'index.ts': indexFile(names),
    'README.md': readmeFile(names),
  };
}

function schemaFile({ kind, singular, plural, group, sdk }: ScaffoldNames): string {
  return `import { type CustomResource, object, type ResourceType, type Static, string, withDefault } from '${sdk}';

/** The resource, as it stands in paths and RBAC rules. */
export const type: ResourceType = {
  group: '${group}',
  version: 'v1alpha1',
  kind: '${kind}',
  plural: '${plural}',
  namespaced: true,
};

/** What a person writes. The CRD, the validator and the TypeScript type come from here. */
export const spec = object(
  {
    text: string({ description: 'What to say.', minLength: 1, maxLength: 80 }),
    greeted: withDefault(string({ description: 'Who is greeted.', maxLength: 40 }), 'world'),
  },
  { description: 'What this ${singular} is to be.' },
);

export type ${kind} = CustomResource<Static<typeof spec>>;
`;
}

function rulesFile({ kind, singular, sdk }: ScaffoldNames): string {
  return `import { invalid, type Rule, stateRule } from '${sdk}';
import type { ${kind} } from './schema.ts';

/** Rules run in the webhook, in the controller before it acts, and in \`check\`. */
export const rules: readonly Rule<${kind}>[] = [
  stateRule({ id: '${singular}.polite', tier: 'W' }, function* ({ spec: { text } }) {
    if (text.endsWith('!')) yield invalid(['spec', 'text'], text, 'must not shout');
  }),
];
`;
}

function stepsFile({ kind, singular, group, sdk }: ScaffoldNames): string {
  return `import {
  CONFIG_MAPS,
  childSetStep,
  findObject,
  isOwnedBy,
  noop,
  type Pipeline,
  pipeline,
  type Step,
  waiting,
} from '${sdk}';
import type { ${kind} } from './schema.ts';
import { type Given, statusOf } from './status.ts';

/** Keeps one ConfigMap with the text. */
const applyText = childSetStep<${kind}, object, Given>({
  name: 'ApplyText',
  condition: 'TextApplied',
  type: CONFIG_MAPS,
  normalise: (manifest) => manifest,
  desired: ({ object: { metadata, spec } }) => ({
    namespace: metadata.namespace ?? '',
    fresh: false,
    manifests: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: metadata.name },
        data: { text: \`\${spec.text}, \${spec.greeted}\` },
      },
    ],
  }),
  gives: ([configMap = '']) => ({ configMap }),
});

${cleanUpStep(kind, singular)}

/** The steps in order: the first that does not succeed holds the rest back. Removal goes the other way. */
export const steps: Pipeline = pipeline<${kind}>()
  .step(cleanUp)
  .step(applyText)
  .build({
    finalizer: { name: '${group}/${singular}', ensured: 'FinalizerEnsured', deleted: 'FinalizerDeleted' },
    status: statusOf,
  });
`;
}

function cleanUpStep(kind: string, singular: string): string {
  return `/** Takes the ConfigMap away when the ${singular} is deleted. */
const cleanUp: Step<${kind}, object, object> = {
  name: 'CleanUp',
  condition: 'CleanedUp',
  apply: () => ({ type: 'noop', value: {} }),
  remove: async ({ api, object, signal }) => {
    const { name, namespace = '' } = object.metadata;
    await api.applyChildren({
      type: CONFIG_MAPS,
      namespace,
      fresh: false,
      desired: [],
      normalise: (manifest) => manifest,
    });
    // Somebody's finalizer may hold it: the ${singular} is let go when it is gone, of which its watch tells.
    const left = await findObject(api.client, CONFIG_MAPS, { namespace, name }, { signal });
    return left !== undefined && isOwnedBy(left, object)
      ? waiting('Progressing', \`ConfigMap \${name} is being deleted\`)
      : noop({});
  },
};`;
}

function statusFile({ singular, sdk }: ScaffoldNames): string {
  return `import { type JsonObject, object, optional, string } from '${sdk}';

/** What the steps give to the status. */
export interface Given {
  readonly configMap: string;
}

/** Members of the status besides the conditions, which come by themselves. */
export const status = object(
  { configMap: optional(string({ description: 'The ConfigMap that holds the text.', maxLength: 253 })) },
  { description: 'What the controller last saw of this ${singular}.' },
);

/** The status of a pass, from what its steps gave. */
export function statusOf({ configMap }: Partial<Given>): JsonObject {
  return configMap === undefined ? {} : { configMap };
}
`;
}

function indexFile({ kind, singular, value, plural, group, sdk }: ScaffoldNames): string {
  return `import { CONFIG_MAPS, defineKind, type Kind, ownerIndex, ownerSelector, toOwnerKeys } from '${sdk}';
import { rules } from './rules.ts';
import { spec, type } from './schema.ts';
import { status } from './status.ts';
import { steps } from './steps.ts';

/** ${kind}: a text, kept in a ConfigMap. */
export const ${value}Kind: Kind = defineKind({
  type,
  singular: '${singular}',
  shortNames: [],
  description: 'Keeps a text in a ConfigMap of the same name.',
  spec,
  status,
  columns: [
    { name: 'TEXT', type: 'string', jsonPath: '.spec.text' },
    { name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
  rules,
  pipeline: steps,
  watches: [{ type: CONFIG_MAPS, labelSelector: ownerSelector(type), toKeys: toOwnerKeys(type) }],
  indexes: [ownerIndex(CONFIG_MAPS)],
  samples: [
    {
      apiVersion: '${group}/v1alpha1',
      kind: '${kind}',
      metadata: { name: 'sample-${singular}', namespace: 'default' },
      spec: { text: 'Hello' },
    },
  ],
});

// The controller, the CRD "${plural}.${group}", the webhook and the rights are made of this.
`;
}

function readmeFile({ kind, singular }: ScaffoldNames): string {
  return `# ${kind}
## Desired state
The spec: a text and who is greeted.
## Where it is stored
In the ${kind} alone. \`status.configMap\` is for reading; no step decides by it.
## How reality is observed
ConfigMaps are watched by their owner labels; one that the cache does not hold is read live before it is made.
## The difference
The ConfigMap is compared with the text field by field. One of that name that is not ours is left, and the step says \`Conflict\`.
## The idempotent action
The ConfigMap is applied where it differs, and deleted with its ${singular}.
`;
}

/** The test of a new kind. */
export function kindTest({ kind, value, group, testkit, folder }: ScaffoldNames): string {
  const name = `${value}Kind`;
  return `import { test } from 'node:test';
import { ruleTable, simulate, table } from '${testkit}';
import { ${name} } from '${folder}/index.ts';

const ${value} = {
  apiVersion: '${group}/v1alpha1',
  kind: '${kind}',
  metadata: { name: 'hello', namespace: 'team-a' },
  spec: { text: 'Hello' },
};

table(${name}, {
  'the text is kept': {
    given: { object: ${value} },
    expect: {
      ready: 'True/Ready',
      children: ['ConfigMap team-a/hello'],
      status: { configMap: 'hello' },
    },
  },
});

ruleTable(${name}, {
  'a quiet text is let through': { after: ${value}, says: [] },
  'a shout is refused': {
    after: { ...${value}, spec: { text: 'Hello!' } },
    says: ['spec.text: Invalid value: "Hello!": must not shout'],
  },
});

test('${kind}: every promise is kept under simulation', () => simulate(${name}, { runs: 60 }));
`;
}
