import type { Condition, Manifest, Unstructured } from '../../src/base/object.ts';
import type { Outcome } from '../../src/base/outcome.ts';
import { keyOf, type ObjectKey } from '../../src/base/resource.ts';
import { conditionsOf, statusOf } from '../../src/status/conditions.ts';
import { clusterConfig, KindHarness, kindNamed } from './kind-harness.ts';
import { VaultScene } from './vault-scene.ts';

const API_VERSION = 'homeostat.io/v1alpha1';

/** What team-a is granted unless a test says otherwise. */
export const GRANT = {
  enabled: true,
  rules: [
    {
      paths: ['secret/data/{namespace}/*', 'secret/metadata/{namespace}/*'],
      capabilities: ['create', 'read', 'update', 'delete', 'list'],
    },
  ],
};

/** A VaultPolicy of team-a that lets read one path. */
export function vaultPolicy(name = 'app', spec: object = {}, metadata: object = {}): Manifest {
  const policy = `path "secret/data/team-a/${name}" {\n  capabilities = ["read"]\n}\n`;
  return {
    apiVersion: API_VERSION,
    kind: 'VaultPolicy',
    metadata: { name, namespace: 'team-a', ...metadata },
    spec: { policy, ...spec },
  };
}

/** A VaultApp of team-a for one service account and one policy. */
export function vaultApp(name = 'web', spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'VaultApp',
    metadata: { name, namespace: 'team-a', ...metadata },
    spec: { serviceAccountNames: ['web'], policyRefs: ['app'], ...spec },
  };
}

/** The Vault kinds over an API and a Vault in memory. */
export class VaultKindScene extends KindHarness {
  readonly scene = new VaultScene('', this.clock);

  constructor(grant: object = GRANT) {
    super();
    this.outside = { vault: this.scene.vault };
    this.store(clusterConfig({ vault: grant }));
  }

  get fake(): VaultScene['fake'] {
    return this.scene.fake;
  }

  /** Passes over an object until there is nothing left to do. */
  async converge(manifest: Manifest): Promise<Outcome> {
    const kind = kindNamed(manifest.kind === 'VaultApp' ? 'VaultApp' : 'VaultPolicy');
    for (let pass = 0; pass < 10; pass++) {
      const outcome = await this.pass(kind, keyOf(manifest));
      // The watch would bring the status that this pass wrote.
      const isWoken = outcome.type === 'waiting' && outcome.byEvent === true;
      if (!isWoken && outcome.type !== 'done') return outcome;
    }
    throw new Error('The engine does not settle');
  }

  /** The stored object. */
  get(manifest: Manifest): Unstructured | undefined {
    return this.api.peek(kindNamed(manifest.kind === 'VaultApp' ? 'VaultApp' : 'VaultPolicy').type, keyOf(manifest));
  }

  conditionOf(manifest: Manifest, type: string): Condition | undefined {
    const object = this.get(manifest);
    return object === undefined ? undefined : conditionsOf(object).find((one) => one.type === type);
  }

  /** `status/reason` of a condition. */
  stateOf(manifest: Manifest, type = 'Ready'): string {
    const found = this.conditionOf(manifest, type);
    return found === undefined ? 'absent' : `${found.status}/${found.reason}`;
  }

  statusOf(manifest: Manifest, member: string): unknown {
    const object = this.get(manifest);
    return object === undefined ? undefined : statusOf(object)?.[member];
  }

  /** Asks for deletion and passes until the object is gone or waits. */
  async remove(manifest: Manifest): Promise<Outcome> {
    const kind = kindNamed(manifest.kind === 'VaultApp' ? 'VaultApp' : 'VaultPolicy');
    const key: ObjectKey = keyOf(manifest);
    await this.api.client().delete(kind.type, key, { signal: new AbortController().signal });
    return this.pass(kind, key);
  }

  /** Writes to Vault so far, as `METHOD path`, and forgets them. */
  takeVaultWrites(): readonly string[] {
    const writes = this.fake.audit
      .filter(({ method, path }) => method !== 'GET' && /^(sys\/policies|auth\/kubernetes\/role)/.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    this.fake.audit.length = 0;
    return writes;
  }
}
