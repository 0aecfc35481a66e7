import { envelopeOf, fittingText, parentsOf, visibleEvent, type Envelope } from '../../events/public.ts'
import { actingCaller } from '../../identity/public.ts'
import { payloadBytesMax } from '../function/bounds.ts'
import type { Services } from '../../kernel/request.ts'

interface Start {
  readonly organizationId: string
  readonly functionId: string
  readonly eventId: string | null
  readonly eventPosition: number | null
  readonly depth: number
}

interface RunAs {
  readonly userId: string
  readonly runAsAdmin: boolean
}

/** The event as the user may see it as whom the function acts, with the rights of this moment; null if the user may not see it, or it is no longer kept. */
export async function eventInput(services: Services, start: Start): Promise<Envelope | Record<string, never> | null> {
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
  // Nothing is shown to a user who may not act; the invocation fails, and its log says why.
  if (!caller) return {}
  await services.shapes.load(organizationId)
  const context = {
    shapes: services.shapes.shapesOf(organizationId),
    parents: await parentsOf(sql, organizationId, [event]),
  }
  const seen = visibleEvent(caller, event, context)
  return seen && (JSON.parse(fittingText(envelopeOf(seen), payloadBytesMax)) as Envelope)
}
