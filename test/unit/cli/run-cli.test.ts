import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCli } from '../../../src/cli/run-cli.ts';
import { temporaryFolder } from '../../support/openssl.ts';
import { recordingTerminal } from './recording-terminal.ts';

const folder = temporaryFolder({ after });
const at = (name: string): string => join(folder, name);

/** A kubeconfig in JSON, which is YAML. */
function kubeconfig(cluster: object): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'dev',
  });
}

writeFileSync(at('config'), kubeconfig({}));
writeFileSync(at('insecure'), kubeconfig({ 'insecure-skip-tls-verify': true }));
writeFileSync(at('no-yaml'), 'a: b: c');
writeFileSync(at('empty'), '{}');
mkdirSync(at('nothing'));
writeFileSync(at('manifest.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n');

const NO_CLUSTER =
  'error: No cluster to work on: there is no kubeconfig, and this is no Pod with a service account. Name a kubeconfig with --kubeconfig, or run in a cluster. [HOMEOSTAT_NO_CLUSTER]';

async function ended(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = recordingTerminal();
  const code = await runCli({ kinds: [], argv, env, terminal, signal: new AbortController().signal });
  return { code, out: terminal.written, err: terminal.errors };
}

const cannotBeUsed = (file: string, why: string): string =>
  `error: The kubeconfig ${at(file)} cannot be used: ${why}. [HOMEOSTAT_KUBECONFIG]`;

for (const [argv, code, sentence] of [
  [['rnu'], 2, 'error: Unknown command "rnu"; did you mean run?'],
  [['deploy'], 2, 'error: Unknown command "deploy"; run homeostat --help'],
  [['run', '--webhok-port=1'], 2, 'error: Unknown flag --webhok-port; did you mean --webhook-port?'],
  [['dev', '--tiemout', '5s'], 2, 'error: Unknown flag --tiemout; did you mean --timeout?'],
  [['dev', '--timeout=5x'], 2, 'error: Flag --timeout: "5x" is not a duration such as 30s, 5m or 1h30m'],
  [['run', '--metrics-port=99999'], 2, 'error: Flag --metrics-port: "99999" is not a whole number from 0 to 65535'],
  [['run', '--workers=0'], 2, 'error: Flag --workers: "0" is not a whole number from 1 up'],
  [['manifests', '--replicas=0'], 2, 'error: Flag --replicas: "0" is not a whole number from 1 up'],
  [
    ['manifests', '--priority-class=High_One'],
    2,
    'error: Flag --priority-class: "High_One" is no name of a PriorityClass; lower-case letters, digits, dashes and dots',
  ],
  [
    ['manifests', '--namespace=kube-system'],
    2,
    'error: Flag --namespace: kube-system is shared; the service needs a namespace of its own',
  ],
  [
    ['manifests', '--namespace=UPPER'],
    2,
    'error: Flag --namespace: "UPPER" is no name of a namespace; lower-case letters, digits and dashes, at most 63',
  ],
  [['help', 'rnu'], 2, 'error: Unknown command "rnu"; did you mean run?'],
  [['run', '--log-level=loud'], 2, 'error: Flag --log-level: "loud" is none of debug, info, warn, error, silent'],
  [['plan'], 1, 'error: homeostat plan needs -f FILE'],
  [['plan', '-f'], 1, 'error: Flag -f needs a value (Manifests, or a folder of them)'],
  [['plan', '-g', 'x'], 1, 'error: Unknown flag -g; did you mean -f?'],
  [['plan', '-f', at('config'), '-o', 'yaml'], 1, 'error: Flag -o: "yaml" is neither text nor json'],
  [['plan', '-f', at('absent')], 1, `error: Cannot read ${at('absent')}: there is no such file or folder`],
  [['plan', '-f', at('manifest.yaml')], 1, NO_CLUSTER],
  [['status', '-o', 'wide'], 2, 'error: Flag -o: "wide" is neither text nor json'],
  [['status', 'env', 'a', 'b'], 2, 'error: homeostat status takes a kind and a name, and got 3 words'],
  [['shards'], 2, 'error: homeostat shards knows one action, verify; none was given'],
  [['shards', 'list'], 2, 'error: homeostat shards knows one action, verify; got "list"'],
  [['check'], 2, 'error: homeostat check needs a FILE, or a folder of files'],
  [['check', at('absent')], 2, `error: Cannot read ${at('absent')}: there is no such file or folder`],
  [['check', at('nothing')], 2, `error: There is no manifest in ${at('nothing')}`],
  [['dev', 'now'], 2, 'error: homeostat dev takes no arguments, only flags; got "now"'],
  [['run', `--kubeconfig=${at('absent')}`], 1, cannotBeUsed('absent', 'there is no such file')],
  [['run', `--kubeconfig=${folder}`], 1, cannotBeUsed('', 'it is a folder').replace('/ cannot', ' cannot')],
  [
    ['run', `--kubeconfig=${at('empty')}`],
    1,
    cannotBeUsed('empty', 'no context is named and it has no current one; it has no contexts'),
  ],
  [
    ['run', `--kubeconfig=${at('config')}`, '--context=prod'],
    1,
    cannotBeUsed('config', 'it has no context prod; it has the contexts dev'),
  ],
  [
    ['run', `--kubeconfig=${at('insecure')}`],
    1,
    cannotBeUsed(
      'insecure',
      'its context dev asks for unverified TLS (insecure-skip-tls-verify); give the certificate-authority instead',
    ),
  ],
  [['run'], 1, NO_CLUSTER],
] as const) {
  test(`homeostat ${argv.join(' ').replaceAll(folder, '')} ends with ${code} and one sentence`, async () => {
    assert.deepEqual(await ended(argv), { code, out: [], err: [sentence] });
  });
}

test('a kubeconfig that is no YAML is named with the place', async () => {
  const { code, err } = await ended(['run', `--kubeconfig=${at('no-yaml')}`]);
  assert.equal(code, 1);
  assert.match(err.join('\n'), /\/no-yaml cannot be used: it is no YAML: .* \[HOMEOSTAT_KUBECONFIG]$/);
});

test('in a Pod, a context without a kubeconfig is refused instead of overlooked', async () => {
  const pod = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
  const { code, err } = await ended(['run', '--context=prod'], pod);
  assert.equal(code, 2);
  assert.match(
    err.join('\n'),
    /^error: Flag --context names a context of a kubeconfig; name the file too, with --kubeconfig$/,
  );
});

test('help shows every command and every flag of a command', async () => {
  const overview = await ended(['--help']);
  assert.equal(overview.code, 0);
  assert.match(
    overview.out.join('\n'),
    /^ {2}run .*\n {2}dev .*\n {2}check .*\n {2}status .*\n {2}plan .*\n {2}verify .*\n {2}uninstall .*\n {2}shards .*\n {2}simulate .*\n {2}new .*\n {2}store .*\n {2}manifests /m,
  );
  for (const command of ['run', 'dev', 'status', 'plan', 'shards', 'simulate', 'new', 'manifests']) {
    const { code, out } = await ended([command, '--help']);
    assert.equal(code, 0);
    assert.match(out.join('\n'), new RegExp(`^Usage: homeostat ${command} .*--\\w+`, 's'));
    assert.deepEqual(await ended(['help', command]), await ended([command, '--help']));
  }
});
