export type { Injection } from '../admission/injection.ts';
export type { Injected, InjectionContext } from '../admission/injection-context.ts';
export type { AccessRequest } from '../admission/slice.ts';
export { toTimestamp } from '../base/clock.ts';
export {
  APPLIED_PURGES,
  type BackupReport,
  GOOD_PURGES,
  PURGE_REASONS,
  type PurgeReport,
  readBackupReport,
} from '../base/backup-report.ts';
export type { Drift } from '../base/drift.ts';
export { escapePointer, type FieldPath, formatPath, valueAt } from '../base/field-path.ts';
export { isRecord, type JsonObject, jsonEqual } from '../base/json.ts';
export type {
  ConditionStatus,
  CustomResource,
  KubeObject,
  Manifest,
  OwnerReference,
  StringMap,
  Unstructured,
} from '../base/object.ts';
export {
  done,
  noop,
  type Notice,
  type Outcome,
  passed,
  type PassedOptions,
  terminal,
  transient,
  type Waiting,
  waiting,
} from '../base/outcome.ts';
export {
  compareQuantities,
  NANOS_PER_MILLI,
  NANOS_PER_UNIT,
  parseQuantity,
  roundedUpToMilli,
} from '../base/quantity.ts';
export { formatKey, formatRef, keyOf, type ObjectKey, type Ref, refOf, type ResourceType } from '../base/resource.ts';
export type { Touch, Verb } from '../base/touch.ts';
export { type VaultData, VaultError, type VaultSettings } from '../base/vault.ts';
export { formatViolation, type ObjectOf, type Violation } from '../base/violation.ts';
export { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../kube/api-error-predicates.ts';
export { findObject } from '../kube/find-object.ts';
export { listObjects } from '../kube/list-objects.ts';
export {
  CONFIG_MAPS,
  CRON_JOBS,
  JOBS,
  LIMIT_RANGES,
  NAMESPACES,
  NETWORK_POLICIES,
  PODS,
  RESOURCE_QUOTAS,
  ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
} from '../kube/well-known.ts';
export { readCronJobSchedule } from '../calendar/cron-job-schedule.ts';
export { cronFieldsOf, readEvery, readSchedule, type Schedule } from '../calendar/schedule.ts';
export { ScheduleInvalid } from '../calendar/schedule-invalid.ts';
export { spacingOf } from '../calendar/spacing.ts';
export { hasOffsetChanges } from '../calendar/time-zone.ts';
export { type Window, type WindowState, windowStateAt } from '../calendar/window.ts';
export type { PrinterColumn } from '../manifests/slice.ts';
export { isStage, STAGE_LABEL } from '../runtime/shard.ts';
export type { Change } from '../rules/change.ts';
export { ipBlockFindings } from '../rules/cidr.ts';
export { dnsSubdomainFindings } from '../rules/dns-names.ts';
export { stateViolations } from '../rules/evaluate.ts';
export { decideOnLive } from '../rules/live-lookup.ts';
export { CacheNotSynced, type Lookup } from '../rules/lookup.ts';
export {
  describeOpenWindow,
  type Maintenance,
  MAINTENANCE_EFFECTS,
  type MaintenanceEffect,
  type MaintenanceState,
  type MaintenanceSubject,
  NO_MAINTENANCE,
  type OpenWindow,
} from '../rules/maintenance.ts';
export { annotationFindings, labelFindings, labelKeyFindings, labelValueFindings } from '../rules/metadata-syntax.ts';
export { portRangeFindings } from '../rules/ports.ts';
export { amountFindings } from '../rules/quantity-syntax.ts';
export {
  deletionRule,
  type CelTwin,
  type Finding,
  forbidden,
  invalid,
  type Rule,
  type RuleContext,
  stateRule,
  transitionRule,
} from '../rules/rule.ts';
export {
  boolean,
  integer,
  intOrString,
  list,
  map,
  object,
  oneOf,
  optional,
  preserved,
  type Schema,
  type Static,
  string,
  withDefault,
} from '../schema/builder.ts';
export { childSetStep, type ChildSetStepOptions, type DesiredChildren } from '../steps/child-set-step.ts';
export { external, type ExternalEffect, type ExternalOptions, type Found } from '../steps/external.ts';
export type { ChildChange, ChildConflict, ChildSet, ChildSetResult } from '../steps/child-set.ts';
export {
  describeOwner,
  isOwnedBy,
  MANAGED_BY_LABEL,
  OWNER_INDEX,
  OWNER_UID_ANNOTATION,
  ownerIndex,
  ownerIndexValue,
  ownerKeyOf,
  ownershipAnnotations,
  ownershipLabels,
  ownerSelector,
  toOwnerKeys,
  withOwnership,
} from '../steps/ownership.ts';
export { type Pause, type Pipeline, pipeline } from '../steps/pipeline.ts';
export type { RetiredStep } from '../steps/retired-step.ts';
export type { IndexDeclaration, Watch } from '../steps/slice.ts';
export type { ObserveContext, Step, StepApi, StepContext } from '../steps/step.ts';
export { defineKind, type KindDefinition } from './define-kind.ts';
export type { Kind } from './kind.ts';
