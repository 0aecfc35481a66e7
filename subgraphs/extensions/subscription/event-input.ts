import {
  envelopeOf,
  fittingText,
  parentsOf,
  visibleEvent,
  type Envelope,
  type VisibleEvent,
} from '../../events/public.ts'
import { actingCaller } from '../../identity/public.ts'
import { payloadBytesMax } from '../function/bounds.ts'
import type { Caller } from '../../kernel/context.ts'
import type { Services } from '../../kernel/request.ts'

interface Start {
  readonly organizationId: string
  readonly functionId: string
  readonly eventPosition: number | null
  readonly depth: number
}

interface RunAs {
  readonly userId: string
  readonly runAsAdmin: boolean
}

/** An event as the user may see it as whom a function acts. */
interface SeenEvent {
  /** Null if the user may not act. */
  readonly caller: Caller | null
  /** Null if the user may not see it. */
  readonly event: VisibleEvent | null
}

/** The event with the rights that the user of the function has at this moment; null if it is no longer kept. */
export async function seenEvent(services: Services, start: Start): Promise<SeenEvent | null> {
  const { organizationId, functionId, eventPosition, depth } = start
  const sql = services.tenants.of(organizationId)
  const [event] = await services.events.read(organizationId, {
    after: eventPosition! - 1,
    limit: 1,
    upTo: eventPosition!,
  })
  const [runAs] = await sql.query<RunAs & Record<string, unknown>>(
    'select run_as_user_id as "userId", run_as_admin as "runAsAdmin" from extensions.function where organization_id = $1 and id = $2',
    [organizationId, functionId],
  )
  if (!event || !runAs) return null
  const origin = { kind: 'FUNCTION', id: functionId, runId: functionId }
  const caller = await actingCaller(sql, { organizationId, ...runAs, scopes: [], origin, depth })
  if (!caller) return { caller, event: null }
  await services.shapes.load(organizationId)
  const shapes = services.shapes.shapesOf(organizationId)
  const parents = await parentsOf(sql, organizationId, [event], shapes)
  return { caller, event: visibleEvent(caller, event, { shapes, parents }) }
}

/** The input of a function that an event starts; null if nothing is to be started. */
export async function eventInput(services: Services, start: Start): Promise<Envelope | Record<string, never> | null> {
  const seen = await seenEvent(services, start)
  if (!seen) return null
  // Nothing is shown to a user who may not act; the invocation fails, and its log says why.
  if (!seen.caller) return {}
  return seen.event && (JSON.parse(fittingText(envelopeOf(seen.event), payloadBytesMax)) as Envelope)
}
