import { Histogram } from 'prom-client'

/**
 * By outcome, not by hook: their number has no bound, and `/metrics` is for operators. The administrators of a hook see its failures in
 * `consecutiveFailures` and `lastError`, and the invocations of its function.
 */
export const hookCalls = new Histogram({
  name: 'crm_hook_call_duration_seconds',
  help: 'Seconds of the calls of before-save hooks, with all parts of a bulk change: decided, failed, or skipped because too many had failed.',
  labelNames: ['kind', 'mode', 'outcome'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
})
