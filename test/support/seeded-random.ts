export { seededRandom } from '../../src/testkit/seeded-random.ts';
