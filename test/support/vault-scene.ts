import { createVaultClient, type VaultClient } from '../../src/adapters/vault/vault-client.ts';
import { FakeVault } from '../../src/devcluster/vault/fake-vault.ts';
import { unsignedToken } from '../../src/devcluster/vault/unsigned-token.ts';
import { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingLogger, recordingMetrics } from './silent-ports.ts';

/** A fake Vault that knows this service, and a client of it on a clock that stands still. */
export class VaultScene {
  readonly clock: FakeClock;
  readonly random = seededRandom();
  readonly log = recordingLogger();
  readonly metrics = recordingMetrics();
  readonly fake: FakeVault;
  readonly vault: VaultClient;
  /** Read at each login. */
  jwt = unsignedToken('homeostat-system', 'homeostat', 'vault');

  constructor(namespace = '', clock = new FakeClock()) {
    this.clock = clock;
    this.fake = new FakeVault({ clock, random: this.random });
    this.knowThisService({});
    this.vault = createVaultClient({
      settings: { address: 'https://vault.example.org', namespace, authMount: 'kubernetes', clusterId: 'c1' },
      role: 'homeostat',
      serviceAccountToken: () => Promise.resolve(this.jwt),
      transport: this.fake,
      clock: this.clock,
      random: this.random,
      log: this.log,
      metrics: this.metrics,
    });
  }

  /** The role this service logs in with, over what an administrator would choose. */
  knowThisService(role: Readonly<Record<string, unknown>>): void {
    this.fake.roles.set('homeostat', {
      bound_service_account_names: ['homeostat'],
      bound_service_account_namespaces: ['homeostat-system'],
      audience: 'vault',
      token_policies: ['homeostat'],
      token_ttl: 3600,
      ...role,
    });
  }

  /** Logins that were tried. */
  get logins(): number {
    return this.fake.asked('auth/kubernetes/login').length;
  }

  /** Reads a policy, waiting as long as it takes on the clock. */
  async read(name = 'c1.team-a.app'): Promise<unknown> {
    const reading = this.vault.read(`sys/policies/acl/${name}`, new AbortController().signal);
    reading.catch(() => undefined);
    await this.clock.settle();
    return reading;
  }
}
