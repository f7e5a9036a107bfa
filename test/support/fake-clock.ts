export { FakeClock } from '../../src/testkit/fake-clock.ts';
