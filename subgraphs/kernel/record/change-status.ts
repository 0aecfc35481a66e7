import type { RequestContext } from '../request.ts'
import type { Draft, RecordDefinition, StoredRow } from './definition.ts'
import { change } from './records-of.ts'
import { requireNewStatus } from './transitions.ts'

type Stateful = StoredRow & { readonly status: string; readonly deletedAt?: string | null }

/** What follows from a new status: other values and events. */
export type Consequences<T extends StoredRow> = Pick<Draft<T>, 'implied' | 'events' | 'isEventReplaced'>

/**
 * Sets a status that the state machine of the record type allows, with what follows from it, in one change. The status that the record has already is
 * refused too, so that a second request is noticed. `follow` may refuse the change, and decides again after a concurrent one.
 */
export const changeStatus = <T extends Stateful, C extends RequestContext>(
  ctx: C,
  definition: RecordDefinition<T>,
  id: string,
  status: T['status'],
  expectedVersion: number | null,
  follow: (previous: T, now: string, ctx: C) => Consequences<T> | Promise<Consequences<T>> = () => ({}),
): Promise<T> =>
  change(
    ctx,
    definition,
    id,
    async (previous, inner) => {
      await requireNewStatus(inner, definition.states!, previous, status)
      const { implied, ...besides } = await follow(previous, inner.clock.now().toISOString(), inner)
      return { operation: 'UPDATE', values: {}, implied: { ...implied, status } as Partial<T>, ...besides }
    },
    { expectedVersion },
  )
