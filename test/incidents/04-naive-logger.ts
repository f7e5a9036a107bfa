import { pino } from 'pino';

/** A destination that keeps the lines. */
export function lineSink(): { readonly lines: string[]; write(line: string): void } {
  const lines: string[] = [];
  return { lines, write: (line) => void lines.push(line) };
}

type Sink = ReturnType<typeof lineSink>;

/**
 * The counter-example: pino used as its documentation shows. Each way writes one line that holds a key twice, since pino joins
 * texts that were serialised before (docs/child-loggers.md, "duplicate keys caveat").
 */
export const naiveWays: Readonly<Record<string, (sink: Sink) => void>> = {
  '1 child binding and call': (sink) => pino({}, sink).child({ key: 'a' }).info({ key: 'b' }, 'm'),
  '2 child and child of child': (sink) => pino({}, sink).child({ key: 'a' }).child({ key: 'b' }).info('m'),
  '3 base and child': (sink) =>
    pino({ base: { key: 'a' } }, sink)
      .child({ key: 'b' })
      .info('m'),
  '4 mixin and child': (sink) =>
    pino({ mixin: () => ({ key: 'a' }) }, sink)
      .child({ key: 'b' })
      .info('m'),
  '5 the keys of the line itself in the call': (sink) => pino({}, sink).info({ time: 1, pid: 2, hostname: 'h' }, 'm'),
  '6 msg in the object and as argument': (sink) => pino({}, sink).child({ msg: 'a' }).info('m'),
  '7 err bound and an error as argument': (sink) =>
    pino({}, sink)
      .child({ err: new Error('a') })
      .error(new Error('b')),
  '8 setBindings': (sink) => {
    const log = pino({}, sink).child({ key: 'a' });
    log.setBindings({ key: 'b' });
    log.info('m');
  },
  '9 formatters.bindings and child': (sink) =>
    pino({ formatters: { bindings: () => ({ key: 'a' }) } }, sink)
      .child({ key: 'b' }, { formatters: {} })
      .info('m'),
  '10 formatters.log and child': (sink) =>
    pino({ formatters: { log: (fields) => ({ ...fields, key: 'a' }) } }, sink)
      .child({ key: 'b' })
      .info({ x: 1 }, 'm'),
  '11 a timestamp as text and the object': (sink) =>
    pino({ base: null, timestamp: () => ',"ts":"now"' }, sink).info({ ts: 'then' }, 'm'),
  '12 a serialised key in child and call': (sink) =>
    pino({ serializers: { req: (value: unknown) => value } }, sink)
      .child({ req: { a: 1 } })
      .info({ req: { b: 2 } }, 'm'),
  '13 the reqId of the server and ours': (sink) =>
    pino({}, sink).child({ reqId: 1 }).child({ reqId: 'ours' }).info('m'),
  '14 nestedKey with two children': (sink) =>
    pino({ nestedKey: 'fields' }, sink).child({ fields: 'a' }).info({ key: 'b' }, 'm'),
};
