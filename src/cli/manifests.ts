import { readCertificateMode, readSigner } from '../app/certificate-flags.ts';
import { type FlagTable, type FlagValues, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { readAuthorityFile } from '../certs/authority-file.ts';
import { renderKindPage } from '../manifests/kind-page.ts';
import { renderChart } from '../manifests/chart.ts';
import { dashboardText } from '../manifests/dashboard.ts';
import { renderManifests } from '../manifests/manifest-tree.ts';
import { renderInstallation } from '../manifests/render.ts';
import {
  type CertificateSettings,
  DEFAULT_SIGNER,
  defaultManifestSettings,
  type ManifestSettings,
} from '../manifests/settings.ts';
import { bypassableRules, renderRulePage } from '../manifests/rule-page.ts';
import { toYaml } from '../manifests/yaml-text.ts';
import { isDnsLabel, isDnsSubdomain } from '../rules/dns-names.ts';
import type { CommandContext } from './command.ts';
import type { Terminal } from './terminal.ts';
import { differencesIn, type GeneratedFile, writeGenerated } from './generated-files.ts';
import { lintKinds } from './lint-kinds.ts';
import { version } from './version.ts';

const FLAGS = {
  out: {
    type: 'text',
    placeholder: 'DIR',
    description:
      'Write install.yaml, the kustomize folders, the chart and the samples below this folder; without it, print install.yaml',
  },
  docs: {
    type: 'text',
    placeholder: 'DIR',
    description: 'Write the reference page of each kind into this folder, too',
  },
  check: { type: 'boolean', default: 'false', description: 'Write nothing; fail when the files in the folders differ' },
  namespace: {
    type: 'text',
    placeholder: 'NAME',
    default: 'homeostat-system',
    description: 'Namespace of the service',
  },
  image: { type: 'text', placeholder: 'IMAGE', description: 'Image of the service' },
  replicas: { type: 'integer', default: '2', least: 1, description: 'Pods of the service' },
  stages: {
    type: 'text',
    placeholder: 'LIST',
    default: '',
    description: 'Stages with an instance of their own, such as dev,int',
  },
  'network-policy': {
    type: 'boolean',
    default: 'false',
    description: 'Let the Pods have only the connections they need',
  },
  monitoring: { type: 'boolean', default: 'false', description: 'Add ServiceMonitor, alerts and dashboard' },
  'priority-class': { type: 'text', placeholder: 'NAME', description: 'Priority class of the Pods' },
  certificates: {
    type: 'text',
    placeholder: 'MODE',
    default: 'cert-manager',
    description: 'Where the serving certificate comes from: cert-manager, self-managed or csr',
  },
  'csr-signer': {
    type: 'text',
    placeholder: 'NAME',
    default: DEFAULT_SIGNER,
    description: 'With csr: the signer that is asked',
  },
  'csr-ca-file': {
    type: 'text',
    placeholder: 'FILE',
    description: 'With csr: authorities of the signer (PEM), the caBundle of the webhooks',
  },
} as const satisfies FlagTable;

/** Help of `homeostat manifests`. */
export function usage(): string {
  return `Usage: homeostat manifests [--out DIR [--docs DIR] [--check]] [flags]\n\n${flagHelp(FLAGS)}`;
}

/** `homeostat manifests`: renders, writes, or compares and lints. Exit code 1 when `--check` finds a difference or a defect. */
export async function command({ kinds, argv, env, terminal }: CommandContext): Promise<number> {
  const { flags, words } = parseArguments(FLAGS, argv, env);
  if (words.length > 0) throw new UsageError(`homeostat manifests takes no arguments; got "${words.join(' ')}"`);
  const defaults = defaultManifestSettings(version());
  const settings: ManifestSettings = {
    ...defaults,
    namespace: readNamespace(flags.namespace),
    replicas: flags.replicas,
    image: flags.image ?? defaults.image,
    certificates: await certificateSettings(flags),
    stages: readStages(flags.stages),
    networkPolicy: flags['network-policy'],
    monitoring: flags.monitoring,
    ...priorityClass(flags['priority-class']),
  };
  if (flags.out === undefined) {
    if (flags.check) throw new UsageError('Flag --check needs --out DIR, the folder to compare with');
    terminal.out(toYaml(renderInstallation(kinds, settings)).trimEnd());
    return 0;
  }
  const files = renderManifests(kinds, settings);
  const folders: (readonly [string, readonly GeneratedFile[]])[] = [
    [
      flags.out,
      [
        ...files.map(({ path, documents }) => ({ path, text: toYaml(documents) })),
        ...renderChart(kinds, settings),
        { path: 'prometheus/dashboard.json', text: dashboardText() },
      ],
    ],
  ];
  if (flags.docs !== undefined) {
    const pages = kinds.map((kind) => ({ path: `${kind.singular}.md`, text: renderKindPage(kind) }));
    folders.push([flags.docs, [...pages, { path: 'rules.md', text: renderRulePage(kinds) }]]);
  }
  if (!flags.check) return write(folders, terminal);
  const findings = lintKinds(kinds, settings);
  for (const line of findings) terminal.err(line);
  terminal.out(`bypassable rules, examined again by the controller: ${bypassableRules(kinds).join(', ')}`);
  return Math.max(await compare(folders, terminal), findings.length === 0 ? 0 : 1);
}

/** Namespaces that a cluster has by itself and shares: what is rendered would put the service's own Pod security level on them. */
const SHARED_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function readNamespace(name: string): string {
  if (SHARED_NAMESPACES.includes(name))
    throw new UsageError(`Flag --namespace: ${name} is shared; the service needs a namespace of its own`);
  if (!isDnsLabel(name))
    throw new UsageError(
      `Flag --namespace: "${name}" is no name of a namespace; lower-case letters, digits and dashes, at most 63`,
    );
  return name;
}

/** Names of PriorityClasses are DNS subdomains (kubernetes, pkg/apis/scheduling/validation). */
function priorityClass(name: string | undefined): Pick<ManifestSettings, 'priorityClassName'> {
  if (name === undefined) return {};
  if (isDnsSubdomain(name)) return { priorityClassName: name };
  throw new UsageError(
    `Flag --priority-class: "${name}" is no name of a PriorityClass; lower-case letters, digits, dashes and dots`,
  );
}

/** A stage's name is a part of the names and labels of what runs it. */
const STAGE = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

function readStages(text: string): readonly string[] {
  const stages = text === '' ? [] : text.split(',');
  const wrong = stages.find((stage, index) => !STAGE.test(stage) || stages.indexOf(stage) !== index);
  if (wrong === undefined) return stages;
  throw new UsageError(
    `Flag --stages: "${wrong}" is no stage, or there twice; lower-case letters, digits and dashes, at most 40`,
  );
}

async function certificateSettings(flags: FlagValues<typeof FLAGS>): Promise<CertificateSettings> {
  const mode = readCertificateMode(flags.certificates);
  if (mode !== 'csr') return { mode };
  const signer = readSigner(flags['csr-signer']);
  const file = flags['csr-ca-file'];
  return file === undefined ? { mode, signer } : { mode, signer, authority: await readAuthorityFile(file) };
}

type Folders = readonly (readonly [string, readonly GeneratedFile[]])[];

async function compare(folders: Folders, terminal: Terminal): Promise<number> {
  const differences = (await Promise.all(folders.map(([folder, files]) => differencesIn(folder, files)))).flat();
  for (const line of differences) terminal.err(line);
  const count = folders.reduce((sum, [, files]) => sum + files.length, 0);
  if (differences.length === 0) terminal.out(`${count} files are as rendered`);
  else terminal.err(`${differences.length} of ${count} files differ; without --check they are written`);
  return differences.length === 0 ? 0 : 1;
}

async function write(folders: Folders, terminal: Terminal): Promise<number> {
  for (const [folder, files] of folders) {
    await writeGenerated(folder, files);
    terminal.out(`${files.length} files written to ${folder}`);
  }
  return 0;
}
