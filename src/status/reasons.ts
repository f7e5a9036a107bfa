/**
 * Reasons the engine itself gives in conditions; kinds add their own. They are part of the API: programs match on them, so a
 * renamed reason is a breaking change. The documentation lists them.
 */
export const ENGINE_REASONS = {
  /** Ready: every step has converged. */
  ready: 'Ready',
  /** A step that passed without a word of its own. */
  succeeded: 'Succeeded',
  /** In progress, nothing is wrong. */
  progressing: 'Progressing',
  /** Failed in a way that may pass; tried again with growing delays. */
  retrying: 'Retrying',
  /** Not reached: an earlier step holds the chain. */
  blocked: 'Blocked',
  /** The API server refuses the operator a right. */
  forbidden: 'Forbidden',
  /** The API server refuses what was sent. */
  rejected: 'Rejected',
  /** An admission webhook or policy of the cluster refuses what was sent. */
  denied: 'Denied',
  /** Another field manager owns a field that we need. */
  fieldConflict: 'FieldConflict',
  /** An object of that name exists and is somebody else's. */
  nameTaken: 'NameTaken',
  /** Something undoes our writes as fast as they are made. */
  reconcileLoop: 'ReconcileLoop',
  /** A create in an outside system may or may not have happened. */
  createOutcomeUnknown: 'CreateOutcomeUnknown',
  /** The API server cannot be reached or cannot answer. */
  apiUnavailable: 'ApiUnavailable',
  /** An error of this program; its log has the stack. */
  bug: 'Bug',
  /** The object breaks its schema or a rule although admission should have refused it. */
  invalid: 'Invalid',
  /** The finalizer is on the object. */
  ensured: 'Ensured',
  /** Deletion was asked for and is under way. */
  deleting: 'Deleting',
  /** What this step had made is gone. */
  removed: 'Removed',
  /** The step belongs to a branch that is not wanted here, and nothing is left of it. */
  notWanted: 'NotWanted',
  /** A namespace that is needed is being deleted. */
  namespaceTerminating: 'NamespaceTerminating',
  /** The annotation homeostat.io/suspend stops the engine for this object. */
  suspended: 'Suspended',
  /** A maintenance window is open and asks for it. */
  maintenanceWindow: 'MaintenanceWindow',
} as const;
