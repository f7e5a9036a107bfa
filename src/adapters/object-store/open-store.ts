import { fileURLToPath } from 'node:url';
import { FolderStore } from './folder-store.ts';
import { type ObjectStore, StoreError } from './object-store.ts';

/** Where a store is. */
export interface StoreAddress {
  /** `s3://bucket/prefix` or `file:///folder`. */
  readonly url: string;
  readonly region: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
}

/** A store that is open, and how it is closed. */
export interface OpenStore {
  readonly store: ObjectStore;
  close(): void;
}

/** Opens a store; the code of S3 is loaded only for a bucket. @throws StoreError for an address that is none */
export async function openStore({ url, region, endpoint, pathStyle }: StoreAddress): Promise<OpenStore> {
  const address = URL.parse(url);
  if (address?.protocol === 'file:') return { store: new FolderStore(fileURLToPath(address)), close: () => undefined };
  if (address?.protocol !== 's3:' || address.host === '') {
    throw new StoreError('failed', `"${url}" is no store: s3://BUCKET/PREFIX and file:///FOLDER are`);
  }
  const { S3Store } = await import('./s3-store.ts');
  const store = new S3Store({
    bucket: address.host,
    prefix: decodeURIComponent(address.pathname).replace(/^\/+|\/+$/g, ''),
    region,
    pathStyle: pathStyle ?? endpoint !== undefined,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  return { store, close: () => store.close() };
}
