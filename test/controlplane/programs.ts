import { join } from 'node:path';

/** A program that suites or benches start. */
export type ProgramName =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kubectl'
  | 'etcd'
  | 'cert-manager'
  | 'vault'
  | 'versitygw'
  | 'promtool'
  | 'helm'
  | 'peer'
  | 'vegeta';

/** A Go module of this repository whose programs are built together into one folder of the cache. */
export interface ProgramModule {
  readonly name: string;
  /** Folder of go.mod. */
  readonly folder: string;
  /** Package to build, by program. */
  readonly programs: Readonly<Partial<Record<ProgramName, string>>>;
  readonly ldflags: readonly string[];
  /** Folders of a required module that are kept beside the programs, so that a later run needs no Go. */
  readonly data: readonly { readonly module: string; readonly folder: string; readonly as: string }[];
}

const testFolder = join(import.meta.dirname, '..');

// A real kubectl and the API server compare versions; without one stamped in, some paths are refused.
const kubernetesVersion = [
  '-X k8s.io/component-base/version.gitVersion=v1.37.2',
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=37',
];

/** Every module that can be built, by name. */
export const programModules: readonly ProgramModule[] = [
  {
    name: 'kubernetes',
    folder: join(testFolder, 'controlplane', 'kubernetes'),
    programs: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      etcd: 'go.etcd.io/etcd/server/v3',
    },
    ldflags: kubernetesVersion,
    data: [],
  },
  {
    name: 'cert-manager',
    folder: join(testFolder, 'controlplane', 'cert-manager'),
    programs: { 'cert-manager': '.' },
    ldflags: [],
    data: [{ module: 'github.com/cert-manager/cert-manager', folder: 'deploy/crds', as: 'crds' }],
  },
  {
    name: 'vault',
    folder: join(testFolder, 'controlplane', 'vault'),
    programs: { vault: '.' },
    ldflags: [],
    data: [],
  },
  {
    name: 'versitygw',
    folder: join(testFolder, 'controlplane', 'versitygw'),
    programs: { versitygw: 'github.com/versity/versitygw/cmd/versitygw' },
    ldflags: [],
    data: [],
  },
  {
    name: 'promtool',
    folder: join(testFolder, 'controlplane', 'promtool'),
    programs: { promtool: 'github.com/prometheus/prometheus/cmd/promtool' },
    ldflags: [],
    data: [],
  },
  {
    name: 'helm',
    folder: join(testFolder, 'controlplane', 'helm'),
    programs: { helm: 'helm.sh/helm/v4/cmd/helm' },
    ldflags: [],
    data: [],
  },
  { name: 'peer', folder: join(testFolder, 'bench', 'peer'), programs: { peer: '.' }, ldflags: [], data: [] },
  {
    name: 'vegeta',
    folder: join(testFolder, 'bench', 'vegeta'),
    programs: { vegeta: 'github.com/tsenart/vegeta/v12' },
    ldflags: [],
    data: [],
  },
];
