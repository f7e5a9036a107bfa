import {
  type CelTwin,
  deletionRule,
  type Finding,
  forbidden,
  labelFindings,
  type Rule,
  stateRule,
} from '../../sdk/index.ts';
import { BY_TEAM } from '../tenancy/environment-indexes.ts';
import { inUseFindings } from '../tenancy/in-use.ts';
import { reservedKeyFindings } from '../tenancy/reserved-keys.ts';
import { looksLikeSecret } from './secret-like.ts';
import type { TeamConfig } from './schema.ts';

/** On a TeamConfig: `"true"` lets settings through that look like secrets and are none. */
export const ALLOW_SECRET_LIKE_ANNOTATION = 'homeostat.io/allow-secret-like-settings';

const OWNER_MESSAGE = 'at least one member must be an owner';

const ownerTwin: CelTwin = {
  at: ['spec', 'members'],
  rule: "self.exists(member, member.role == 'owner')",
  message: OWNER_MESSAGE,
};

/** All rules of the kind. */
export const teamConfigRules: readonly Rule<TeamConfig>[] = [
  stateRule({ id: 'teamconfig.owner', tier: 'C', cel: ownerTwin }, ownerFindings),
  stateRule(
    { id: 'teamconfig.labels', tier: 'W', says: 'spec.labels are labels, and none of them is reserved' },
    teamLabelFindings,
  ),
  stateRule(
    { id: 'teamconfig.secret-like-settings', tier: 'W', says: 'spec.settings hold no secrets' },
    settingFindings,
  ),
  deletionRule({ id: 'teamconfig.in-use', says: 'no Environment refers to it' }, (team, { lookup }) =>
    inUseFindings(team, BY_TEAM, lookup),
  ),
];

function* ownerFindings({ spec }: TeamConfig): Generator<Finding> {
  if (spec.members.some(({ role }) => role === 'owner')) return;
  yield { type: 'FieldValueInvalid', path: ['spec', 'members'], detail: OWNER_MESSAGE };
}

function* teamLabelFindings({ spec }: TeamConfig): Generator<Finding> {
  const { labels = {} } = spec;
  yield* labelFindings(['spec', 'labels'], labels);
  yield* reservedKeyFindings(Object.keys(labels), [], ['spec', 'labels']);
}

/** The value is never shown: if it is a secret, a message and a log are further places it should not be. */
function* settingFindings({ metadata, spec }: TeamConfig): Generator<Finding> {
  if (metadata.annotations?.[ALLOW_SECRET_LIKE_ANNOTATION] === 'true') return;
  for (const [key, value] of Object.entries(spec.settings ?? {})) {
    if (!looksLikeSecret(value)) continue;
    const detail = `looks like a secret; keep secrets in a Secret, or set annotation ${ALLOW_SECRET_LIKE_ANNOTATION} to "true"`;
    yield forbidden(['spec', 'settings', { key }], detail);
  }
}
