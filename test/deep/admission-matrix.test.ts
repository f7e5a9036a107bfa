import { startControlPlane } from '../controlplane/start.ts';
import { runMatrix } from '../support/admission-matrix/run-matrix.ts';

const plane = await startControlPlane();
runMatrix(
  async () => Promise.resolve(plane),
  async () => plane.close(),
);
