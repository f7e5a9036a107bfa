import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../architecture/project.ts';

const run = promisify(execFile);

/** The image that both stages of the Dockerfile begin from. */
const BASE = 'docker.io/library/debian:bookworm-slim';

/** What debian:bookworm-slim leaves out of a Debian of minimal size. */
const NOT_SLIM = [
  'usr/share/doc',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/man',
  'var/cache/apt',
  'var/lib/apt/lists',
];

/** What was built, as a registry would have it. */
export interface BuiltImage {
  /** Digests and sizes of the compressed layers, the base's first. */
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
  /** Digest of the configuration: user, environment, command, history, digests of the layers as they are unpacked. */
  readonly configDigest: string;
  readonly config: ImageConfig;
}

/** The part of an OCI image configuration that is looked at. */
export interface ImageConfig {
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly WorkingDir: string;
  };
}

/**
 * Builds the image with buildah and no container engine, on a Debian made by debootstrap from this machine's own mirror. The machine's
 * npm and apt settings enter as build secrets.
 */
export class ImageBuilder {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects with what is missing on this machine. */
  static async open(): Promise<ImageBuilder> {
    for (const tool of ['buildah', 'debootstrap']) {
      await run('which', [tool]).catch(() => {
        throw new Error(
          `The image is built with buildah and debootstrap, and ${tool} is not installed: apt-get install buildah debootstrap`,
        );
      });
    }
    if (process.getuid?.() !== 0)
      throw new Error('The image is built in a chroot, which only root may make: run this as root.');
    const builder = new ImageBuilder(await mkdtemp(join(tmpdir(), 'homeostat-image-')));
    await builder.#importBase();
    return builder;
  }

  /** Builds from the project as it is, with nothing kept of an earlier build. */
  async build(name: string): Promise<BuiltImage> {
    const secrets = await this.#secrets();
    await this.#buildah([
      ...['build', '--isolation', 'chroot', '--pull-never', '--no-cache', '--timestamp', '0', '--tag', name],
      ...secrets.flatMap(({ id, file }) => ['--secret', `id=${id},src=${file}`]),
      projectFolder,
    ]);
    const layout = join(this.#folder, name);
    await this.#buildah(['push', '--quiet', name, `oci:${layout}`]);
    return readLayout(layout);
  }

  /** Unpacks an image and gives the folder that is its root. */
  async unpack(name: string): Promise<string> {
    const container = await this.#buildah(['from', '--pull-never', name]);
    return this.#buildah(['mount', container]);
  }

  /** Removes everything but the base. */
  async close(): Promise<void> {
    await this.#buildah(['umount', '--all']);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #importBase(): Promise<void> {
    const container = await this.#buildah(['from', 'scratch']);
    await this.#buildah(['add', '--quiet', container, await baseFolder(), '/']);
    await this.#buildah(['commit', '--quiet', '--timestamp', '0', '--rm', container, BASE]);
  }

  /** Settings of npm with the authorities that they name, and those of apt on how to reach its mirrors. */
  async #secrets(): Promise<readonly { readonly id: string; readonly file: string }[]> {
    const { stdout: userConfig } = await run('npm', ['config', 'get', 'userconfig']);
    const settings = await readFile(userConfig.trim(), 'utf8').catch(() => '');
    const { stdout: authorities } = await run('npm', ['config', 'get', 'cafile']);
    const extra = process.env['NODE_EXTRA_CA_CERTS'] ?? authorities.trim();
    const ca = await readFile(extra, 'utf8').catch(() => '');
    const npmrc = settings.split('\n').filter((line) => !line.startsWith('cafile'));
    const { stdout: dump } = await run('apt-config', ['dump', '--format', '%F "%v";%n', 'Acquire']);
    const apt = dump
      .split('\n')
      .filter((line) => /^Acquire::https?\b/.test(line))
      .join('\n');
    const texts = { npmrc: [...npmrc, ...(ca === '' ? [] : ['cafile=/run/secrets/ca'])].join('\n'), ca, apt };
    const secrets = Object.entries(texts).map(([id, text]) => ({ id, text, file: join(this.#folder, `secret-${id}`) }));
    for (const { file, text } of secrets) await writeFile(file, text, { mode: 0o600 });
    return secrets;
  }

  /** Standard output of buildah, on storage of this builder's own: no layers of overlayfs, which a container may not have. */
  async #buildah(args: readonly string[]): Promise<string> {
    const storage = [
      '--storage-driver',
      'vfs',
      '--root',
      join(this.#folder, 'storage'),
      '--runroot',
      join(this.#folder, 'run'),
    ];
    const { stdout } = await run('buildah', [...storage, ...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }
}

/** A slim Debian, made once and kept: its packages come from the mirror that this machine's apt uses. */
async function baseFolder(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'homeostat');
  const folder = join(cache, 'debian-bookworm-slim');
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = `${folder}.${process.pid}`;
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(CODENAME) $(REPO_URI)',
    'Created-By: Packages',
  ]);
  const [, mirror = 'http://deb.debian.org/debian'] = /^bookworm (\S+)$/m.exec(stdout) ?? [];
  try {
    await run('debootstrap', ['--variant=minbase', 'bookworm', unfinished, mirror], { maxBuffer: 16 * 1024 * 1024 });
    for (const path of NOT_SLIM) await rm(join(unfinished, path), { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A reference of the OCI image layout. */
interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

async function readLayout(layout: string): Promise<BuiltImage> {
  const blob = async (digest: string): Promise<unknown> =>
    JSON.parse(await readFile(join(layout, 'blobs', ...digest.split(':')), 'utf8'));
  // An OCI image layout, as buildah has just written it.
  const index = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as {
    readonly manifests: readonly Descriptor[];
  };
  // The manifest of that image, and its configuration.
  const manifest = (await blob(index.manifests[0]?.digest ?? '')) as {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  };
  const config = (await blob(manifest.config.digest)) as ImageConfig;
  const layers = manifest.layers.map(({ digest, size }) => ({ digest, size }));
  return { layers, configDigest: manifest.config.digest, config };
}
