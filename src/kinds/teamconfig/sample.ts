import type { Manifest } from '../../sdk/index.ts';

/** A team with one owning group and one person who reads along. */
export const teamConfigSample: Manifest = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'TeamConfig',
  metadata: { name: 'team-a' },
  spec: {
    displayName: 'Team A',
    contacts: { email: 'a@example.org' },
    members: [
      { kind: 'Group', name: 'team-a-admins', role: 'owner' },
      { kind: 'User', name: 'auditor@example.org', role: 'viewer' },
    ],
    labels: { 'example.org/team': 'team-a' },
  },
};
