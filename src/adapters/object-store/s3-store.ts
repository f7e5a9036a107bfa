import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { checkKey, type Deletion, type ObjectStore, StoreError, type StoredObject } from './object-store.ts';

/** Where a bucket is. Credentials come from the environment, a file or the identity of the Pod, as the SDK finds them. */
export interface S3StoreOptions {
  readonly bucket: string;
  /** Keys begin with it; without slashes at its ends. Empty: none. */
  readonly prefix: string;
  readonly region: string;
  /** Of a server other than AWS. */
  readonly endpoint?: string;
  /** The bucket stands in the path, not in the host's name. */
  readonly pathStyle: boolean;
}

const MIB = 1024 * 1024;

/** A part held in memory; it grows where 10,000 of them would not hold the file. */
const SMALLEST_PART = 8 * MIB;
const MOST_PARTS = 10_000;

/** The largest object that is copied by one request. */
const LARGEST_COPY = 5 * 1024 * MIB;

/**
 * Milliseconds. A server that has gone silent fails the request, which the SDK repeats. Silence and not the whole request is limited:
 * a part may be long on its way, and a copy of 5 GiB takes a server minutes.
 */
const TIME_LIMITS = {
  connectionTimeout: 10_000,
  socketTimeout: 300_000,
  throwOnRequestTimeout: true,
} as const;

/** Milliseconds for each of three attempts at taking back an upload: a stop must not wait for a server that is silent. */
const TAKE_BACK_MS = 1500;

/** Where objects are larger than what one request does, which tests set lower. */
export interface S3Limits {
  readonly partBytes: number;
  readonly copyBytes: number;
}

/** A store in an S3 bucket or in one that speaks its language. */
export class S3Store implements ObjectStore {
  readonly description: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #limits: S3Limits;

  constructor(options: S3StoreOptions, limits: S3Limits = { partBytes: SMALLEST_PART, copyBytes: LARGEST_COPY }) {
    const { bucket, prefix, region, endpoint, pathStyle } = options;
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#limits = limits;
    this.description = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
    this.#client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      requestHandler: TIME_LIMITS,
      // Servers that only resemble S3 refuse checksum trailers; content is compared by what is read back.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Ends the client's connections. */
  close(): void {
    this.#client.destroy();
  }

  async putFile(key: string, file: string, signal: AbortSignal): Promise<void> {
    await this.#guard(key, signal, async (place) => {
      const { size } = await stat(file);
      const handle = await open(file, 'r');
      const partAt = async (start: number, length: number): Promise<Buffer> => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(length, size - start)), 0, null, start);
        return buffer.subarray(0, bytesRead);
      };
      try {
        if (size <= this.#limits.partBytes) {
          const Body = await partAt(0, size);
          await this.#client.send(new PutObjectCommand({ ...place, ...contentOf(Body) }), { abortSignal: signal });
        } else {
          const bytes = Math.max(this.#limits.partBytes, Math.ceil(size / MOST_PARTS));
          await this.#inParts(place, { size, bytes, signal }, async (part, start) => {
            const Body = await partAt(start, bytes);
            const sent = await this.#client.send(new UploadPartCommand({ ...part, ...contentOf(Body) }), {
              abortSignal: signal,
            });
            return sent.ETag;
          });
        }
      } finally {
        await handle.close();
      }
    });
  }

  async putText(key: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#guard(key, signal, (place) =>
      this.#client.send(new PutObjectCommand({ ...place, ...contentOf(Buffer.from(text)) }), { abortSignal: signal }),
    );
  }

  async read(key: string, signal: AbortSignal): Promise<Readable> {
    return this.#guard(key, signal, async (place) => {
      const { Body } = await this.#client.send(new GetObjectCommand(place), { abortSignal: signal });
      if (Body instanceof Readable) return Body;
      throw new StoreError('failed', `${key} in ${this.description}: the answer has no content`);
    });
  }

  async move(from: string, to: string, signal: AbortSignal): Promise<void> {
    checkKey(to);
    await this.#guard(from, signal, async (place) => {
      const { ContentLength: size = 0 } = await this.#client.send(new HeadObjectCommand(place), {
        abortSignal: signal,
      });
      const CopySource = `${place.Bucket}/${place.Key}`.split('/').map(encodeURIComponent).join('/');
      const target = this.#place(to);
      if (size <= this.#limits.copyBytes) {
        await this.#client.send(new CopyObjectCommand({ ...target, CopySource }), { abortSignal: signal });
      } else {
        const bytes = this.#limits.copyBytes;
        await this.#inParts(target, { size, bytes, signal }, async (part, start) => {
          const CopySourceRange = `bytes=${start}-${Math.min(start + bytes, size) - 1}`;
          const command = new UploadPartCopyCommand({ ...part, CopySource, CopySourceRange });
          return (await this.#client.send(command, { abortSignal: signal })).CopyPartResult?.ETag;
        });
      }
      const copied = await this.#client.send(new HeadObjectCommand(target), { abortSignal: signal });
      if (copied.ContentLength !== size) {
        throw new StoreError('failed', `${to} in ${this.description} has not the ${size} bytes that were copied to it`);
      }
      // A bucket may refuse every deletion; the object has its new key nevertheless.
      await this.#client.send(new DeleteObjectCommand(place), { abortSignal: signal }).catch(() => undefined);
      signal.throwIfAborted();
    });
  }

  async delete(key: string, signal: AbortSignal): Promise<Deletion> {
    return this.#guard(key, signal, async (place) => {
      // One by one: several servers want Content-MD5 for many at a time, or do not know it.
      const { DeleteMarker } = await this.#client.send(new DeleteObjectCommand(place), { abortSignal: signal });
      return { keepsVersions: DeleteMarker === true };
    }).catch((error: unknown) => {
      // S3 itself does not say that there was nothing to delete; some servers like it do.
      if (error instanceof StoreError && error.trouble === 'missing') return { keepsVersions: false };
      throw error;
    });
  }

  async list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]> {
    return this.#guard(prefix, signal, async ({ Bucket, Key: Prefix }) => {
      const found: StoredObject[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page: { ContinuationToken?: string } = ContinuationToken === undefined ? {} : { ContinuationToken };
        const command = new ListObjectsV2Command({ Bucket, Prefix, ...page });
        const {
          Contents = [],
          NextContinuationToken,
          IsTruncated,
        } = await this.#client.send(command, { abortSignal: signal });
        for (const { Key = '', Size = 0, LastModified } of Contents) {
          if (Key.endsWith('/')) continue;
          const stored = LastModified === undefined ? {} : { storedAtMs: LastModified.getTime() };
          found.push({ key: Key.slice(this.#prefix.length), sizeBytes: Size, ...stored });
        }
        ContinuationToken = NextContinuationToken;
        if (IsTruncated === true && ContinuationToken === undefined) {
          throw new StoreError('failed', `${this.description}: a list was cut without saying how it goes on`);
        }
      } while (ContinuationToken !== undefined);
      return found;
    });
  }

  async abandonUploads(prefix: string, beforeMs: number, signal: AbortSignal): Promise<number> {
    return this.#guard(prefix, signal, async ({ Bucket, Key: Prefix }) => {
      const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }), {
        abortSignal: signal,
      });
      const old = Uploads.filter(({ Initiated }) => Initiated !== undefined && Initiated.getTime() < beforeMs);
      for (const { Key, UploadId } of old) {
        await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal: signal });
      }
      return old.length;
    });
  }

  /** Uploads in parts, which become an object when all are there; a failure takes back what was sent. */
  async #inParts(
    place: Place,
    { size, bytes, signal }: { readonly size: number; readonly bytes: number; readonly signal: AbortSignal },
    send: (
      part: Place & { readonly UploadId: string; readonly PartNumber: number },
      start: number,
    ) => Promise<string | undefined>,
  ): Promise<void> {
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(place), { abortSignal: signal });
    if (UploadId === undefined) throw new StoreError('failed', `${place.Key}: the store began no upload in parts`);
    try {
      const Parts: { readonly ETag: string | undefined; readonly PartNumber: number }[] = [];
      for (let start = 0; start < size; start += bytes) {
        const PartNumber = Parts.length + 1;
        Parts.push({ PartNumber, ETag: await send({ ...place, UploadId, PartNumber }, start) });
      }
      const command = new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } });
      await this.#client.send(command, { abortSignal: signal });
    } catch (error) {
      // What cannot be taken back now is given up by a later purge.
      const takeBack = new AbortMultipartUploadCommand({ ...place, UploadId });
      await this.#client.send(takeBack, { requestTimeout: TAKE_BACK_MS }).catch(() => undefined);
      throw error;
    }
  }

  #place(key: string): Place {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  async #guard<Value>(key: string, signal: AbortSignal, work: (place: Place) => Promise<Value>): Promise<Value> {
    checkKey(key);
    signal.throwIfAborted();
    try {
      return await work(this.#place(key));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof StoreError ? error : troubleOf(error, key, this.description);
    }
  }
}

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** S3 takes nothing into a bucket whose Object Lock has a default retention without a digest; MD5 is known to every server like it. */
function contentOf(Body: Buffer): { readonly Body: Buffer; readonly ContentMD5: string } {
  return { Body, ContentMD5: createHash('md5').update(Body).digest('base64') };
}

function troubleOf(error: unknown, key: string, where: string): StoreError {
  const options = { cause: error };
  if (!(error instanceof S3ServiceException)) {
    const what = error instanceof Error ? error.message : String(error);
    return new StoreError('failed', `${where} cannot be reached for ${key}: ${what}`, options);
  }
  const { httpStatusCode } = error.$metadata;
  const word = `${error.name}${httpStatusCode === undefined ? '' : `, ${httpStatusCode}`}`;
  if (error.name === 'NoSuchBucket') return new StoreError('failed', `${where}: the bucket does not exist`, options);
  if (httpStatusCode === 404) return new StoreError('missing', `${key} is not in ${where}`, options);
  if (httpStatusCode === 403 || /AccessDenied|ObjectLock/.test(error.name)) {
    return new StoreError(
      'denied',
      `${where} refuses access to ${key} (${word}); look at credentials, policy and locks`,
      options,
    );
  }
  return new StoreError('failed', `${where} did not serve ${key} (${word})`, options);
}
