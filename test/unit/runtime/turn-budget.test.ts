import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListReader } from '../../../src/runtime/list-reader.ts';
import { Store } from '../../../src/runtime/store.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { runReflector } from '../../support/reflector-bench.ts';
import { ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { bookmark, event, WIDGETS, widget } from '../../support/widgets.ts';

/** A clock on which each look at the time costs 3 ms, and whose turns are counted. */
class BusyClock extends FakeClock {
  turns = 0;
  #looks = 0;

  override monotonic(): number {
    return super.monotonic() + 3 * this.#looks++;
  }

  override setImmediate(callback: () => void): void {
    this.turns += 1;
    super.setImmediate(callback);
  }
}

test('a long page is taken over in several turns', async () => {
  const clock = new BusyClock();
  const items = Array.from({ length: 30 }, (_, n) => widget(`w${n}`, '1'));
  const client = new ScriptedClient().lists({ items, resourceVersion: '5' });
  const store = new Store();
  const ports = { client, clock, type: WIDGETS, scope: {} };
  const reader = new ListReader({ ...ports, newContents: () => store.newContents(), admit: (object) => object });
  const list = await reader.read('', undefined, new AbortController().signal);
  assert.equal(list.contents.size, 30);
  assert.ok(clock.turns >= 5, `${clock.turns} turns`);
});

test('frames that are there already are read in several turns', async () => {
  const clock = new BusyClock();
  const stream = new ScriptedStream();
  const bench = runReflector(new ScriptedClient().watches(stream), { clock });
  stream.send(...Array.from({ length: 30 }, (_, n) => event('ADDED', `w${n}`, '1')), bookmark('5', 'true'));
  for (let turns = 0; turns < 10; turns++) await clock.settle();
  assert.equal(bench.delivered.length, 1);
  assert.ok(clock.turns >= 5, `${clock.turns} turns`);
  await bench.stop();
});
