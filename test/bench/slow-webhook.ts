import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/start.ts';

/** Somebody else's webhook that allows everything, late. */
export interface SlowWebhook {
  /** Takes it away again. */
  close(): Promise<void>;
}

/** What the webhook is asked about, and how late it answers. */
export interface SlowWebhookOptions {
  readonly plane: ControlPlane;
  /** Holds tls.crt, tls.key, and the authority they are checked against. */
  readonly certificates: { readonly directory: string; readonly authority: string };
  /** Labels of the ResourceQuotas whose writes it delays. */
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly delayMs: number;
}

const PATH = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const NAME = 'slow.bench.example.org';

/** Delays every write of some ResourceQuotas, as a busy policy engine would: time passes, and nobody works meanwhile. */
export async function startSlowWebhook(options: SlowWebhookOptions): Promise<SlowWebhook> {
  const { plane, certificates, delayMs } = options;
  const [cert, key] = await Promise.all(
    ['tls.crt', 'tls.key'].map((file) => readFile(join(certificates.directory, file), 'utf8')),
  );
  const server = createServer({ cert, key }, (request, response) => {
    // Whoever goes away in the middle of it needs no answer.
    allowLate(request, response, delayMs).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { code, body } = await plane.request('POST', PATH, configuration(options, server.address()));
  if (code !== 201) throw new Error(`The slow webhook was not registered: ${JSON.stringify(body)}`);
  return {
    close: async () => {
      await plane.request('DELETE', `${PATH}/${NAME}`);
      server.close();
      server.closeAllConnections();
    },
  };
}

async function allowLate(request: IncomingMessage, response: ServerResponse, delayMs: number): Promise<void> {
  // The API server sends nothing else to this address.
  const { request: asked } = (await json(request)) as { readonly request: { readonly uid: string } };
  await delay(delayMs);
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: asked.uid, allowed: true },
    }),
  );
}

function configuration({ certificates, matchLabels }: SlowWebhookOptions, address: unknown): object {
  // A server that listens on a TCP port has an address with that port.
  const { port } = address as { readonly port: number };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: NAME },
    webhooks: [
      {
        name: NAME,
        clientConfig: {
          url: `https://localhost:${port}/`,
          caBundle: Buffer.from(certificates.authority).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['resourcequotas'] }],
        objectSelector: { matchLabels },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
      },
    ],
  };
}
