import { HomeostatError } from '../base/errors.ts';

/** A schedule or time zone cannot be read. Code `HOMEOSTAT_SCHEDULE_INVALID`; the message is a clause that fits behind a field's path. */
export class ScheduleInvalid extends HomeostatError {
  constructor(what: string) {
    super('HOMEOSTAT_SCHEDULE_INVALID', what);
    this.name = 'ScheduleInvalid';
  }
}
