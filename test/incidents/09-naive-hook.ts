import { createServer, type Server } from 'node:http';
import type { LazyDependency } from './09-lazy-dependency.ts';

/**
 * The counter-example: the dependency is loaded by the first request, readiness asks nobody, and what a request throws is nobody's.
 * `onCrash` stands for the end of the process, which an unhandled rejection is.
 */
export function naiveServer(load: () => Promise<LazyDependency>, onCrash: (error: unknown) => void): Server {
  return createServer((request, response) => {
    if (request.url === '/readyz') {
      response.end('ok');
      return;
    }
    const answer = async (): Promise<void> => {
      const dependency = await load();
      response.end(dependency.render('request'));
    };
    answer().catch((error: unknown) => {
      response.destroy();
      onCrash(error);
    });
  });
}
