import { HomeostatError, type HomeostatErrorOptions } from '../base/errors.ts';

/** Far above the 1.5 MiB that etcd takes for one object, and a bound on what one broken stream can cost. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;

const NEWLINE = 10;

/**
 * A watch delivered something that is no frame: a line that is not JSON, one longer than 8 MiB, or an end in the middle of a
 * line. Code `HOMEOSTAT_WATCH_FRAME`. The stream is of no further use; watch again from the last resourceVersion.
 */
export class WatchFrameError extends HomeostatError {
  constructor(message: string, options: HomeostatErrorOptions = {}) {
    super('HOMEOSTAT_WATCH_FRAME', message, options);
    this.name = 'WatchFrameError';
  }
}

/**
 * Cuts a byte stream into lines at `\n` and nothing else. It works on bytes since a chunk may end within a UTF-8 sequence, and
 * since line readers for text also split at U+2028, which JSON allows in strings.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line that has begun and has not ended. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /**
   * Yields each line that the chunk completes, without its newline; empty lines are left out.
   *
   * @throws WatchFrameError when a line grows beyond the limit.
   */
  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#lineOf(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Most lines lie within one chunk and are read where they are. */
  #lineOf(part: Uint8Array): string {
    if (this.#bytes === 0 && part.length <= this.#maxBytes) return textOf(part);
    this.#keep(part);
    const line = Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    return textOf(line);
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      throw new WatchFrameError(`A watch frame is longer than ${this.#maxBytes} bytes.`);
    }
  }
}

/**
 * The frames of a watch in order, each made of its parsed JSON by `read`: one generator for all, since each further one costs a
 * turn of promises per frame, and a first list is fifty thousand frames.
 *
 * @throws WatchFrameError as the class says; errors of the byte stream and of `read` pass through unchanged.
 */
export async function* parseFrames<Frame>(
  chunks: AsyncIterable<Uint8Array>,
  read: (json: unknown) => Frame,
  maxBytes?: number,
): AsyncGenerator<Frame> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) yield read(parseLine(line));
  }
  if (splitter.pendingBytes > 0) throw new WatchFrameError('A watch ended in the middle of a frame.');
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

/** The parser's own message quotes the text it failed at, which may be anybody's data: neither it nor the error is kept. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new WatchFrameError(`A watch frame of ${line.length} characters is not JSON.`);
  }
}
