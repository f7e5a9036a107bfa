import type { Manifest } from '../base/object.ts';
import { groupResourceOf } from '../base/resource.ts';
import { labelsFor, type ManifestSettings } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** The CustomResourceDefinition of a kind. */
export function renderCrd(kind: ManifestSlice, settings: ManifestSettings): Manifest {
  const { type } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: groupResourceOf(type), labels: labelsFor(settings, 'crd') },
    spec: {
      group: type.group,
      names: {
        kind: type.kind,
        listKind: `${type.kind}List`,
        plural: type.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['homeostat'],
      },
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: kind.structure },
          ...(kind.hasStatus ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: kind.columns.map((column) => ({ ...column })),
        },
      ],
    },
  };
}
