// SQL over the log, in which events without a position come after all that have one, in the order of their inserts.

const pendingPosition = '4611686018427387904 + sequence'

/** The same columns of the events that wait for their position. */
export const pendingEvents = (columns: string, where: string): string =>
  `select ${columns}, ${pendingPosition} as position from kernel.event_pending where ${where}`

/** Columns of the events with their `position`, of those that have one and those that wait for it. */
export const loggedEvents = (columns: string, where: string): string =>
  `select ${columns}, position from kernel.event_log where ${where}
     union all ${pendingEvents(columns, where)}`

/**
 * The values that an update replaced, as `previous`, and the ones in their place, as `record`, of `d (record jsonb, previous jsonb)`. Other events have no
 * `previous`; `otherwise` is their `record`.
 */
export const changedValues = (otherwise: string): string =>
  `case when jsonb_typeof(d.previous) = 'object' then d.previous end as previous,
    case when jsonb_typeof(d.previous) = 'object'
      then coalesce((select jsonb_object_agg(name, d.record -> name) from jsonb_object_keys(d.previous) name where d.record ? name), '{}')
      else ${otherwise} end as record`
