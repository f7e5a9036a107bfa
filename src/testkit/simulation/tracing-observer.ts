import { requestInfo } from '../../devcluster/request-info.ts';
import type { TransportRequest } from '../../kube/transport.ts';
import type { NetworkObserver, Passage } from './network.ts';
import type { Trace } from './trace.ts';

/** An observer that writes down what goes over the network, as a person reads it, before it tells another. */
export function tracingObserver(trace: Trace, observer: Partial<NetworkObserver>): NetworkObserver {
  return {
    sent: (end, request, passage) => {
      trace.note(end.name, `${wordsOf(request)}${fateOf(passage)}`);
      observer.sent?.(end, request, passage);
    },
    answered: (end, request, answer) => {
      trace.note('apiserver', `${answer.status} to ${end.name}: ${wordsOf(request)}`);
      observer.answered?.(end, request, answer);
    },
    delivered: (end, path, line) => {
      trace.note(end.name, `hears ${frameOf(path, line)}`);
      observer.delivered?.(end, path, line);
    },
  };
}

/** `patch environments/status team-a/dev`; queries are left out but for the version a watch begins at. */
function wordsOf({ method, path: target }: Pick<TransportRequest, 'method' | 'path'>): string {
  const { path, query } = partsOf(target);
  const info = requestInfo({ method, path, query });
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const place = [info.namespace, info.name].filter((part) => part !== '').join('/');
  const from = info.verb === 'watch' ? ` from ${query.get('resourceVersion') ?? 'the beginning'}` : '';
  return `${info.verb} ${info.resource === '' ? path : resource} ${place}${from}`.trimEnd();
}

/** `environments MODIFIED dev at 47`. */
function frameOf(target: string, line: string): string {
  const { path, query } = partsOf(target);
  const { resource } = requestInfo({ method: 'GET', path, query });
  const [, type = ''] = /^\{"type":"([A-Z]+)"/.exec(line) ?? [];
  const [, name = ''] = /"metadata":\{[^}]*?"name":"([^"]*)"/.exec(line) ?? [];
  const [, version = ''] = /"resourceVersion":"(\d+)"/.exec(line) ?? [];
  return `${resource} ${type} ${name} at ${version}`;
}

function partsOf(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const cut = target.indexOf('?');
  const [path, query] = cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut + 1)];
  return { path, query: new URLSearchParams(query) };
}

function fateOf(passage: Passage): string {
  switch (passage.type) {
    case 'carried':
      return passage.delayMs === undefined ? '' : `, which takes ${passage.delayMs} ms`;
    case 'refused':
      return `, which will be refused with ${passage.code}`;
    case 'unsent':
      return ', which does not arrive';
    case 'lostAnswer':
      return ', whose answer will be lost';
    case 'crashBefore':
      return ', and dies before it is sent';
    case 'crashAfter':
      return ', and will die when it is carried out';
  }
}
