import type { ControlPlane } from '../controlplane/start.ts';

const namespace = 'fill';
const writers = 12;

/** Creates `count` ConfigMaps of about 1.4 kB as served in a namespace of their own. */
export async function createConfigMaps(plane: ControlPlane, count: number): Promise<void> {
  await plane.kubectl(['create', 'namespace', namespace]);
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const create = async (): Promise<void> => {
    for (const number of numbers) {
      const { code, body } = await plane.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: {
          name: `c${String(number).padStart(6, '0')}`,
          labels: { team: `t${number % 97}`, 'app.kubernetes.io/managed-by': 'bench' },
          annotations: { note: 'x'.repeat(200) },
        },
        data: { payload: 'y'.repeat(512), k: String(number) },
      });
      if (code !== 201) throw new Error(`ConfigMap ${number} was not created: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: writers }, create));
}
