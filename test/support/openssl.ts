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
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(test: { after(work: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a certificate authority below `folder`. */
export function testAuthority(folder: string, commonName: string): TestAuthority {
  const base = mkdtempSync(join(folder, 'ca-'));
  const at = (name: string): string => join(base, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = (name: string): string[] => ['-subj', `/O=homeostat/CN=${name}`];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '2',
    ...subject(commonName),
  );
  const issue = (name: string): KeyPair => {
    openssl('req', ...newKey, '-keyout', at('leaf.key'), '-out', at('leaf.csr'), ...subject(name));
    writeFileSync(
      at('leaf.ext'),
      'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n',
    );
    const signer = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('leaf.ext')];
    openssl('x509', '-req', '-in', at('leaf.csr'), '-out', at('leaf.crt'), '-days', '1', ...signer);
    return { cert: readFileSync(at('leaf.crt'), 'utf8'), key: readFileSync(at('leaf.key'), 'utf8') };
  };
  return { cert: readFileSync(at('ca.crt'), 'utf8'), key: readFileSync(at('ca.key'), 'utf8'), issue };
}
