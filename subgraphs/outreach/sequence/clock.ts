/**
 * SQL of the time at which the current step of an enrollment is due, with the aliases of the enrollment and of its sequence: a pause of the
 * sequence moves it without a change of the enrollment (`sequence.migrations.ts`). It holds while the sequence is ACTIVE.
 */
export const dueAtSql = (enrollment: string, sequence: string): string =>
  `${enrollment}.next_run_at + make_interval(secs => (${sequence}.paused_ms - ${enrollment}.paused_ms) / 1000)`

/** SQL of the delay that is left, in milliseconds: while the sequence is not ACTIVE, its clocks stand at the time when it was paused. */
export const remainingMsSql = (enrollment: string, sequence: string, now: string): string =>
  `greatest(0, extract(epoch from ${dueAtSql(enrollment, sequence)} -
    case when ${sequence}.status = 'ACTIVE' then ${now} else coalesce(${sequence}.paused_at, ${now}) end) * 1000)`
