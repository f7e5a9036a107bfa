/** One alert of the PrometheusRule. */
export interface Alert {
  readonly name: string;
  /** critical: users are refused or nothing is reconciled; warning: it will come to that; info: worth a look by day. */
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long the expression must hold, as Prometheus writes durations. */
  readonly for: string;
  readonly expr: string;
  /** One line without numbers. */
  readonly summary: string;
  /** What it means here and now, with the labels of the series. */
  readonly description: string;
}
