const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How long ago, the way `kubectl get` writes it (apimachinery `duration.HumanDuration`): `45s`, `3m20s`, `5h`, `12d`. */
export function ageOf(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(now - then);
}

function humanDuration(ms: number): string {
  if (ms < -SECOND) return '<invalid>';
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.trunc(ms / SECOND))}s`;
  if (ms < 10 * MINUTE) return two(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.trunc(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return two(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.trunc(ms / HOUR)}h`;
  if (ms < 8 * DAY) return two(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${Math.trunc(ms / DAY)}d`;
  return ms < 8 * YEAR ? two(ms, YEAR, 'y', DAY, 'd') : `${Math.trunc(ms / YEAR)}y`;
}

// One call prints two units; an options object would only repeat the five words.
function two(ms: number, ...[big, bigName, small, smallName]: [number, string, number, string]): string {
  const rest = Math.trunc((ms % big) / small);
  return `${Math.trunc(ms / big)}${bigName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
