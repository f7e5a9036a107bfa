import { readFileSync } from 'node:fs';
import { isRecord } from '../base/json.ts';

/** Version of this package, as its package.json says. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const read: unknown = JSON.parse(text);
  return isRecord(read) && typeof read['version'] === 'string' ? read['version'] : '0.0.0';
}
