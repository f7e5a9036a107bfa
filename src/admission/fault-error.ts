import { HomeostatError } from '../base/errors.ts';
import type { FaultKind } from './verdict.ts';

/** Why a review ended before its verdict, as the reason of an AbortSignal. Code `HOMEOSTAT_ADMISSION_ENDED`. */
export class FaultError extends HomeostatError {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super('HOMEOSTAT_ADMISSION_ENDED', message);
    this.kind = kind;
  }
}
