import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { isForbidden } from '../kube/api-error-predicates.ts';
import { listObjects } from '../kube/list-objects.ts';
import { ENDPOINT_SLICES, SERVICES } from '../kube/well-known.ts';
import { NAMES } from '../manifests/settings.ts';
import { look, type VerifyAccess, withoutRight } from './verify-access.ts';
import { type About, broken, type Finding, unseen, well } from './verify-finding.ts';

/** The label by which a slice names its Service. */
const SERVICE_LABEL = 'kubernetes.io/service-name';

const ABOUT: About = { joint: 'service', subject: `Service ${NAMES.webhookService}` };

/** What was found about the Service, and where it leads as far as it says so itself. */
export interface ServiceFinding {
  readonly findings: readonly Finding[];
  /** Address to dial; absent where there is no Service. */
  readonly host?: string;
}

/** Whether the Service that the API server dials is there and has a ready Pod behind it. */
export async function verifyService(access: VerifyAccess): Promise<ServiceFinding> {
  const { namespace } = access.settings;
  const looked = await look(access, SERVICES, { namespace, name: NAMES.webhookService }, ABOUT);
  if (looked.object === undefined) return { findings: [looked.finding] };
  const spec = isRecord(looked.object['spec']) ? looked.object['spec'] : {};
  if (spec['type'] === 'ExternalName') {
    const host = String(spec['externalName']);
    return { host, findings: [unseen(ABOUT, `It leads to ${host}, outside the cluster, where Pods cannot be seen`)] };
  }
  return { host: String(spec['clusterIP']), findings: [await verifyEndpoints(access)] };
}

async function verifyEndpoints(access: VerifyAccess): Promise<Finding> {
  const { client, signal, settings } = access;
  const query = { namespace: settings.namespace, labelSelector: `${SERVICE_LABEL}=${NAMES.webhookService}` };
  let [ready, all] = [0, 0];
  try {
    for await (const slice of listObjects(client, ENDPOINT_SLICES, query, { signal })) {
      const states = endpointsOf(slice);
      all += states.length;
      ready += states.filter(Boolean).length;
    }
  } catch (error) {
    if (isForbidden(error)) return withoutRight(ABOUT, `list endpointslices in ${settings.namespace}`);
    throw error;
  }
  if (ready > 0) return well(ABOUT, `${ready} of ${all} Pods behind it are ready`);
  const pods = `kubectl get pods -n ${settings.namespace} -l app.kubernetes.io/name=${NAMES.app}`;
  return broken(
    ABOUT,
    all === 0 ? 'There is no Pod behind it' : `None of the ${all} Pods behind it is ready`,
    `Look at ${pods}; the answer of /readyz?verbose on port 8081 names what a Pod waits for`,
  );
}

/** Whether each endpoint is ready; a slice that does not say is taken for ready, as the API says. */
function endpointsOf(slice: Unstructured): readonly boolean[] {
  const endpoints = slice['endpoints'];
  if (!Array.isArray(endpoints)) return [];
  return endpoints.filter(isRecord).map(({ conditions }) => !isRecord(conditions) || conditions['ready'] !== false);
}
