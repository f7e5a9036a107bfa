import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { renderUserRoles } from '../../../src/manifests/user-roles.ts';
import { widgetManifestSlice } from '../../support/widget-slice.ts';

const settings = defaultManifestSettings('1.0.0');
const { type } = widgetManifestSlice;
const widgets = { ...widgetManifestSlice, type: { ...type, namespaced: true } };
const clusterWidgets = { ...widgetManifestSlice, type: { ...type, plural: 'clusterwidgets', namespaced: false } };

const rolesOf = (...kinds: (typeof widgets)[]) =>
  renderUserRoles(kinds, settings).map(({ metadata, rules }) => ({
    name: metadata.name,
    into: Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith('rbac.')),
    rules,
  }));

test('whoever may view or edit a namespace may view or edit what our kinds give there', () => {
  const [view, edit] = rolesOf(widgets, clusterWidgets);
  const aggregated = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;
  assert.deepEqual(view?.into, ['view', 'edit', 'admin'].map(aggregated));
  assert.deepEqual(edit?.into, ['edit', 'admin'].map(aggregated));
});

test('cluster-scoped kinds are read and not written', () => {
  const [view, edit] = rolesOf(widgets, clusterWidgets);
  const read = { apiGroups: [type.group], resources: ['clusterwidgets', type.plural].toSorted() };
  assert.deepEqual(view?.rules, [{ ...read, verbs: ['get', 'list', 'watch'] }]);
  assert.deepEqual(edit?.rules, [
    { apiGroups: [type.group], resources: [type.plural], verbs: ['create', 'delete', 'patch', 'update'] },
  ]);
});

test('without a namespaced kind there is nothing to edit', () => {
  assert.deepEqual(
    rolesOf(clusterWidgets).map(({ name }) => name),
    ['homeostat-view', 'homeostat-metrics-reader'],
  );
});
