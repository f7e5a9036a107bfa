import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder, testAuthority } from '../support/openssl.ts';

/** A write that the API server has not yet stored: it waits for the answer of the gate. */
export interface HeldWrite {
  /** Refuses it: it has never happened. */
  refuse(): void;
}

/** Answers the API server about one write. */
type Answer = (allowed: boolean) => void;

/** What is asked of the gate about the writes to come. */
interface Watcher {
  /** True for a write that is to be held; asked once of each. */
  readonly holds: (write: string) => boolean;
  readonly held: (answer: Answer) => void;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly resource: { readonly resource: string };
    readonly subResource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly object?: { readonly metadata?: { readonly name?: string } } | null;
  };
}

/**
 * A validating webhook of the suite's own, asked before each write of one user is stored. It is how a test knows between which two
 * writes a process stands: while one is held, all before it are stored and none after it is.
 */
export class WriteGate {
  readonly #server: Server;
  readonly #passed: string[] = [];
  #watcher: Watcher | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#take(request, response));
  }

  /** Registers the webhook for every write of the user but Events, Leases and access reviews. */
  static async open(plane: ControlPlane, user: string, test: { after(work: () => void): void }): Promise<WriteGate> {
    const authority = testAuthority(temporaryFolder(test), 'write gate');
    const server = createServer(authority.issue('write gate')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The write gate has no port.');
    const gate = new WriteGate(server);
    const { code, body } = await plane.request(
      'POST',
      CONFIGURATIONS,
      configuration(user, address.port, authority.cert),
    );
    if (code !== 201) throw new Error(`The write gate was not registered: ${JSON.stringify(body)}`);
    return gate;
  }

  /** Writes that were let through, as `OPERATION resource[/subresource] namespace/name`, in order. */
  get passed(): readonly string[] {
    return this.#passed;
  }

  /**
   * Resolves with the nth write from now on that is wanted, which is held; others pass until then, and all are held from then on.
   * Rejects when it has not come within a minute.
   */
  async hold(wanted: (write: string) => boolean, nth: number): Promise<HeldWrite> {
    const waiting: Answer[] = [];
    let seen = 0;
    this.#watcher = {
      holds: (write) => {
        if (wanted(write)) seen += 1;
        return seen >= nth;
      },
      held: (answer) => void waiting.push(answer),
    };
    const from = this.#passed.length;
    const details = (): string => `These passed instead:\n${this.#passed.slice(from).join('\n')}`;
    await eventually('a write that is to be held', () => waiting.length > 0, {
      timeoutMs: 60_000,
      intervalMs: 5,
      details,
    });
    return {
      refuse: () => {
        this.#watcher = undefined;
        for (const answer of waiting) answer(false);
      },
    };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    // An AdmissionReview, sent by the API server.
    const { request: asked } = JSON.parse(text) as Review;
    const write = nameOf(asked);
    const answer: Answer = (allowed) => {
      if (allowed) this.#passed.push(write);
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...review, response: { uid: asked.uid, allowed } }));
    };
    const watcher = this.#watcher;
    if (watcher?.holds(write) === true) watcher.held(answer);
    else answer(true);
  }
}

function nameOf({ operation, resource, subResource, namespace = '', name, object }: Review['request']): string {
  const path = subResource === undefined ? resource.resource : `${resource.resource}/${subResource}`;
  return `${operation} ${path} ${namespace}/${name ?? object?.metadata?.name ?? ''}`;
}

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const UNCOUNTED = ['events', 'leases', 'subjectaccessreviews', 'tokenreviews'];

function configuration(user: string, port: number, authority: string): object {
  const caBundle = Buffer.from(authority).toString('base64');
  return {
    metadata: { name: 'write-gate' },
    webhooks: [
      {
        name: 'write-gate.test.homeostat.io',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
        rules: [
          { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
        ],
        matchConditions: [
          { name: 'user', expression: `request.userInfo.username == '${user}'` },
          { name: 'counted', expression: `!(request.resource.resource in ${JSON.stringify(UNCOUNTED)})` },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 30,
      },
    ],
  };
}
