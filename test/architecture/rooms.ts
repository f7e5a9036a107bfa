/** Tier of each room; a room imports only from lower tiers (docs/architecture). */
export const tierOfRoom: Readonly<Record<string, number>> = {
  'main.ts': 9,
  'index.ts': 9,
  cli: 8,
  testkit: 7,
  app: 6,
  devcluster: 6,
  kinds: 5,
  sdk: 4,
  steps: 3,
  admission: 3,
  manifests: 3,
  runtime: 2,
  status: 2,
  certs: 2,
  telemetry: 2,
  adapters: 2,
  kube: 1,
  schema: 1,
  rules: 1,
  calendar: 1,
  base: 0,
};

/** Rooms that may import a package; any other package may be imported by none. */
export const ownersOfPackage: Readonly<Record<string, readonly string[]>> = {
  fastify: ['admission', 'app'],
  ajv: ['schema'],
  'node-forge': ['certs'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  undici: ['kube', 'adapters'],
  '@kubernetes/client-node': ['kube'],
  yaml: ['manifests', 'cli'],
  '@aws-sdk/client-s3': ['adapters'],
};

/** Rooms that may open sockets. */
export const socketRooms: readonly string[] = ['kube', 'adapters', 'admission', 'app', 'devcluster'];

/** Node's modules that open sockets. */
export const socketModules: readonly string[] = [
  'node:net',
  'node:tls',
  'node:http',
  'node:https',
  'node:http2',
  'node:dgram',
];

/** What those modules export that opens none. */
export const socketlessNames: readonly string[] = ['isIP', 'isIPv4', 'isIPv6', 'createSecureContext'];

/** Files that may touch real time and real chance: the ports' only implementations, and the clock of tests, which lets promises settle. */
export const systemPortFiles: readonly string[] = ['src/app/system-ports.ts', 'src/testkit/fake-clock.ts'];

/** Beginnings of the paths that may read the environment: the configuration, and the entry that hands it over. */
export const environmentReaders: readonly string[] = ['src/app/', 'src/cli/start.ts'];

/** Files that gather a folder for others to import. */
export const entryFiles = /^src\/(?:(?:sdk|testkit|kinds|kinds\/[a-z]+)\/)?index\.ts$/;
