import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority made by openssl. */
export interface TestAuthority extends KeyPair {
  /** Issues a certificate for 127.0.0.1 and localhost that serves servers and clients alike. */
  issue(commonName: string): KeyPair;
  /** An authority below this one. */
  intermediate(commonName: string): TestAuthority;
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(test: { after(work: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const LEAF = 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n';
const AUTHORITY = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n';

/** Makes a certificate authority below `folder`. */
export function testAuthority(folder: string, commonName: string): TestAuthority {
  const base = mkdtempSync(join(folder, 'ca-'));
  const files = ['-keyout', join(base, 'ca.key'), '-out', join(base, 'ca.crt')];
  openssl('req', '-x509', ...NEW_KEY, ...files, '-days', '2', ...subject(commonName));
  return authorityIn(base);
}

function authorityIn(base: string): TestAuthority {
  const at = (name: string): string => join(base, name);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  const sign = (name: string, folder: string, what: { readonly file: string; readonly extensions: string }): void => {
    const path = (suffix: string): string => join(folder, `${what.file}.${suffix}`);
    openssl('req', ...NEW_KEY, '-keyout', path('key'), '-out', path('csr'), ...subject(name));
    writeFileSync(path('ext'), what.extensions);
    const signer = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', path('ext')];
    openssl('x509', '-req', '-in', path('csr'), '-out', path('crt'), '-days', '1', ...signer);
  };
  return {
    cert: read('ca.crt'),
    key: read('ca.key'),
    issue: (name) => {
      sign(name, base, { file: 'leaf', extensions: LEAF });
      return { cert: read('leaf.crt'), key: read('leaf.key') };
    },
    intermediate: (name) => {
      const below = mkdtempSync(join(base, 'ca-'));
      sign(name, below, { file: 'ca', extensions: AUTHORITY });
      return authorityIn(below);
    },
  };
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

function subject(name: string): readonly string[] {
  return ['-subj', `/O=homeostat/CN=${name}`];
}
