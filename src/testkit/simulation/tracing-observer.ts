import { requestInfo } from '../../devcluster/request-info.ts';
import type { NetworkObserver, Passage } from './network.ts';
import type { Trace } from './trace.ts';

/** An observer that writes down what goes over the network before it tells another. */
export function tracingObserver(trace: Trace, observer: Partial<NetworkObserver>): NetworkObserver {
  return {
    sent: (end, request, passage) => {
      trace.note(end.name, `${request.method} ${request.path}${fateOf(passage)}`, tellRequest);
      observer.sent?.(end, request, passage);
    },
    answered: (end, request, answer, passage) => {
      trace.note('apiserver', `${answer.status} ${end.name} ${request.method} ${request.path}`, tellAnswer);
      observer.answered?.(end, request, answer, passage);
    },
    delivered: (end, path, line) => {
      trace.note(end.name, `${path} ${frameOf(line)}`, tellFrame);
      observer.delivered?.(end, path, line);
    },
  };
}

/** `PATCH /path?query, fate` as `patch environments/status team-a/dev, fate`. */
function tellRequest(what: string): string {
  const [, method = '', path = '', fate = ''] = /^(\S+) ([^\s,]+)(.*)$/.exec(what) ?? [];
  return `${wordsOf(method, path)}${fate}`;
}

function tellAnswer(what: string): string {
  const [status = '', name = '', method = '', path = ''] = what.split(' ');
  return `${status} to ${name}: ${wordsOf(method, path)}`;
}

function tellFrame(what: string): string {
  const [path = '', ...frame] = what.split(' ');
  return `hears ${infoOf('GET', path).resource} ${frame.join(' ')}`;
}

/** Queries are left out but for the version a watch begins at. */
function wordsOf(method: string, target: string): string {
  const info = infoOf(method, target);
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const place = [info.namespace, info.name].filter((part) => part !== '').join('/');
  const [, version = 'the beginning'] = /[?&]resourceVersion=(\d+)/.exec(target) ?? [];
  const from = info.verb === 'watch' ? ` from ${version}` : '';
  return `${info.verb} ${info.resource === '' ? target : resource} ${place}${from}`.trimEnd();
}

function infoOf(method: string, target: string) {
  const [path = '', query = ''] = target.split('?');
  return requestInfo({ method, path, query: new URLSearchParams(query) });
}

/** `MODIFIED dev at 47`. */
function frameOf(line: string): string {
  const [, type = ''] = /^\{"type":"([A-Z]+)"/.exec(line) ?? [];
  const [, name = ''] = /"metadata":\{[^}]*?"name":"([^"]*)"/.exec(line) ?? [];
  const [, version = ''] = /"resourceVersion":"(\d+)"/.exec(line) ?? [];
  return `${type} ${name} at ${version}`;
}

function fateOf(passage: Passage): string {
  switch (passage.type) {
    case 'carried':
      if (passage.rival !== undefined) return ', and somebody else writes there too';
      return passage.delayMs === undefined ? '' : `, which takes ${passage.delayMs} ms`;
    case 'diverted':
      return ', which shows a past state';
    case 'stopAt':
      return `${passage.delayMs === 0 ? '' : `, which takes ${passage.delayMs} ms`}, and is asked to stop`;
    case 'standstill':
      return `, and stands still for ${passage.forMs} ms`;
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
