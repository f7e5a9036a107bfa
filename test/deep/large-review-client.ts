// Runs in a worker of its own, so that sending holds nobody but the sender: posts every body at once and writes the status codes as JSON.
import { Agent } from 'node:https';
import { workerData } from 'node:worker_threads';
import { post, SERVER_NAME } from '../unit/admission/tls-server.ts';

// What the test hands over.
const { port, path, bodies, ca } = workerData as {
  readonly port: number;
  readonly path: string;
  readonly bodies: readonly string[];
  readonly ca: string;
};
const agent = new Agent({ keepAlive: true, ca, servername: SERVER_NAME });
const answers = await Promise.all(bodies.map((body) => post({ port, agent, path }, body)));
agent.destroy();
process.stdout.write(JSON.stringify(answers.map(({ status }) => status)));
