import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a bucket is told to do wrong. */
export interface S3Faults {
  /** Answers every DELETE of an object with AccessDenied, as an object lock does. */
  denyDelete?: boolean;
  /** The page of a list, counted from 1, that fails with 500. */
  failPage?: number;
  /** Deleting what is not there is answered with 404. */
  strictDelete?: boolean;
  /** An object lock with a default retention: what is sent without a digest is refused. */
  wantDigest?: boolean;
  /** Requests with a part are never answered, nor is the end of their upload. */
  silentParts?: boolean;
  /** A copy comes to half of what it should. */
  halfCopy?: boolean;
  /** The bucket is versioned: a deletion adds a marker. */
  versioned?: boolean;
  /** Objects in a page. @defaultValue 1000 */
  pageSize?: number;
}

interface Upload {
  readonly key: string;
  readonly initiatedMs: number;
  readonly parts: Map<number, Buffer>;
}

/** As much of S3 as a store of backups asks for, in memory. Signatures are not checked; a bucket is any first word of the path. */
export class FakeS3 {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  readonly faults: S3Faults = {};
  /** `VERB key?query` of every request. */
  readonly requests: string[] = [];
  /** When an upload in parts is said to have begun. */
  nowMs = Date.UTC(2027, 0, 1);
  readonly #server: Server;
  #ids = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** Starts one on a free port. */
  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get endpoint(): string {
    // A server that listens on a port has such an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.endpoint);
    const [, , ...words] = decodeURIComponent(url.pathname).split('/');
    const key = words.join('/');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.requests.push(`${request.method} ${key}${url.search}`);
    const source = request.headers['x-amz-copy-source'];
    const range = request.headers['x-amz-copy-source-range'];
    const copied =
      typeof source === 'string' ? this.#source(source, typeof range === 'string' ? range : undefined) : undefined;
    const query = url.searchParams;
    if (this.#isSilent(query)) return;
    if (this.#lacksDigest(request, body)) return refuse(response, 400, 'InvalidRequest');
    switch (request.method) {
      case 'PUT':
        return query.has('partNumber')
          ? this.#putPart(response, query, copied ?? body, copied !== undefined)
          : this.#put(response, key, copied ?? body, copied !== undefined);
      case 'POST':
        return query.has('uploads')
          ? this.#begin(response, key)
          : this.#complete(response, key, query.get('uploadId') ?? '');
      case 'DELETE':
        return this.#delete(response, key, query.get('uploadId'));
      default:
        if (key === '') return query.has('uploads') ? this.#listUploads(response) : this.#list(response, query);
        return this.#get(response, key, request.method === 'HEAD');
    }
  }

  #isSilent(query: URLSearchParams): boolean {
    return this.faults.silentParts === true && query.has('uploadId');
  }

  #lacksDigest({ method, headers }: IncomingMessage, body: Buffer): boolean {
    if (this.faults.wantDigest !== true || method !== 'PUT' || headers['x-amz-copy-source'] !== undefined) return false;
    return headers['content-md5'] !== createHash('md5').update(body).digest('base64');
  }

  #source(source: string, range: string | undefined): Buffer {
    const [, ...words] = decodeURIComponent(source).replace(/^\//, '').split('/');
    const whole = this.objects.get(words.join('/')) ?? Buffer.alloc(0);
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [];
    return from === undefined ? whole : whole.subarray(Number(from), Number(to) + 1);
  }

  #put(response: ServerResponse, key: string, content: Buffer, copy: boolean): void {
    this.objects.set(key, copy && this.faults.halfCopy === true ? content.subarray(content.length / 2) : content);
    response.setHeader('etag', '"e"');
    answer(response, 200, copy ? '<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>' : '');
  }

  #begin(response: ServerResponse, key: string): void {
    const id = `upload-${++this.#ids}`;
    this.uploads.set(id, { key, initiatedMs: this.nowMs, parts: new Map() });
    answer(response, 200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }

  #putPart(response: ServerResponse, query: URLSearchParams, content: Buffer, copy: boolean): void {
    this.uploads.get(query.get('uploadId') ?? '')?.parts.set(Number(query.get('partNumber')), content);
    response.setHeader('etag', '"p"');
    answer(response, 200, copy ? '<CopyPartResult><ETag>"p"</ETag></CopyPartResult>' : '');
  }

  #complete(response: ServerResponse, key: string, id: string): void {
    const parts = [...(this.uploads.get(id)?.parts ?? [])].toSorted(([a], [b]) => a - b);
    this.objects.set(key, Buffer.concat(parts.map(([, content]) => content)));
    this.uploads.delete(id);
    answer(response, 200, '<CompleteMultipartUploadResult><ETag>"c"</ETag></CompleteMultipartUploadResult>');
  }

  #delete(response: ServerResponse, key: string, uploadId: string | null): void {
    if (uploadId !== null) {
      this.uploads.delete(uploadId);
      return answer(response, 204, '');
    }
    if (this.faults.denyDelete === true) return refuse(response, 403, 'AccessDenied');
    if (!this.objects.delete(key) && this.faults.strictDelete === true) return refuse(response, 404, 'NoSuchKey');
    if (this.faults.versioned === true) response.setHeader('x-amz-delete-marker', 'true');
    answer(response, 204, '');
  }

  #get(response: ServerResponse, key: string, headOnly: boolean): void {
    const content = this.objects.get(key);
    if (content === undefined) return refuse(response, 404, 'NoSuchKey');
    response.setHeader('content-length', content.length);
    response.writeHead(200);
    response.end(headOnly ? undefined : content);
  }

  #list(response: ServerResponse, query: URLSearchParams): void {
    const { failPage, pageSize = 1000 } = this.faults;
    const start = Number(query.get('continuation-token') ?? '0');
    if (failPage === start / pageSize + 1) return refuse(response, 500, 'InternalError');
    const prefix = query.get('prefix') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const items = keys
      .slice(start, start + pageSize)
      .map((key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length ?? 0}</Size></Contents>`);
    const end = start + pageSize;
    const next = end < keys.length ? `<NextContinuationToken>${end}</NextContinuationToken>` : '';
    const cut = `<IsTruncated>${end < keys.length}</IsTruncated>`;
    answer(response, 200, `<ListBucketResult>${cut}${next}${items.join('')}</ListBucketResult>`);
  }

  #listUploads(response: ServerResponse): void {
    const items = [...this.uploads].map(([id, { key, initiatedMs }]) => {
      const initiated = new Date(initiatedMs).toISOString();
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`;
    });
    answer(response, 200, `<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`);
  }
}

function answer(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(xml === '' ? undefined : `<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  answer(response, status, `<Error><Code>${code}</Code><Message>told to</Message></Error>`);
}
