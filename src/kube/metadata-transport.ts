import type { Transport } from './transport.ts';

/** Content negotiation of the API server: the object's metadata in the place of the object. */
const OBJECTS = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const LISTS = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/**
 * A transport whose lists and watches bring nothing but metadata: a client over it follows a resource whose objects are large, or
 * secret, at the cost of their names and labels. For lists and watches only; anything else is refused by the API server with 406.
 */
export function metadataTransport(transport: Transport): Transport {
  return {
    send: (request) => {
      const accept = request.lane === 'watch' ? OBJECTS : LISTS;
      return transport.send({ ...request, headers: { ...request.headers, accept } });
    },
  };
}
