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
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = this.#take();
      if (line !== '') yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      throw new WatchFrameError(`A watch frame is longer than ${this.#maxBytes} bytes.`);
    }
  }

  #take(): string {
    const line = Buffer.concat(this.#parts, this.#bytes).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}

/**
 * The frames of a watch as parsed JSON, in order.
 *
 * @throws WatchFrameError as the class says; errors of the byte stream pass through unchanged.
 */
export async function* parseFrames(chunks: AsyncIterable<Uint8Array>, maxBytes?: number): AsyncGenerator {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) yield parseLine(line);
  }
  if (splitter.pendingBytes > 0) throw new WatchFrameError('A watch ended in the middle of a frame.');
}

/** The parser's own message quotes the text it failed at, which may be anybody's data: neither it nor the error is kept. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new WatchFrameError(`A watch frame of ${line.length} characters is not JSON.`);
  }
}
