import { isRecord } from '../base/json.ts';
import type { ApiRequest } from './exchange.ts';
import { decodeProtobuf } from './protobuf.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** The body of a request as JSON text, with the headers that say so. kubectl sends its own typed objects as protobuf. */
export function readBody({ body, headers }: ApiRequest): Pick<ApiRequest, 'headers'> & { readonly body: string } {
  const text = (): string => Buffer.from(body).toString('utf8');
  if (headers['content-type']?.split(';')[0]?.trim() !== PROTOBUF) return { body: text(), headers };
  const object: unknown = decodeProtobuf(body);
  return {
    body: JSON.stringify(isRecord(object) ? object : {}),
    headers: { ...headers, 'content-type': 'application/json' },
  };
}
