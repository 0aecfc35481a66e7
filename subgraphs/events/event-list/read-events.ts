import { invalid, Refusal } from '../../kernel/errors.ts'
import { changesAfter, eventsAt, isRangeKept, keptPositions } from '../../kernel/outbox/event-log.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { envelopeOf, visibleEvent, type Envelope } from '../envelope/envelope.ts'
import { parentsOf } from '../envelope/visibility.ts'
import { eventSelectionOf } from './event-selection.ts'

/** Events that one page compares with what the caller sees. */
const comparedMax = 1_000
/** Events of one statement. */
const part = 100
/** A page ends behind the event with which it reaches so many bytes. */
const bytesMax = 2_000_000

export interface EventsRead {
  readonly data: (Envelope & { readonly operationId: string | null })[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

/** The events after a cursor as webhooks of the caller would receive them, in the order of the log. */
export async function readEvents(
  ctx: RequestContext,
  { after, types, limit }: { after: string | null; types: readonly string[] | null; limit: number },
): Promise<EventsRead> {
  const { caller, db, shapes } = ctx
  const { organizationId } = caller
  const { objects, isSelected } = eventSelectionOf(ctx, types)
  const { start, latest, isOldest } = await startAfter(ctx, after)
  const range = { after: start, upTo: latest, objects, limit: comparedMax }
  const { changes, through: end } = await changesAfter(db, organizationId, range)
  if (!isOldest && !(await isRangeKept(db, organizationId, start, end))) throw expired(end)
  const positions = changes.map(({ position }) => position)
  const data: EventsRead['data'] = []
  const page = (through: number): EventsRead => ({
    data,
    nextCursor: String(through),
    hasMore: through < latest,
  })
  let [read, bytes] = [0, 0]
  while (read < positions.length) {
    const { events: logged, through } = await eventsAt(db, organizationId, positions.slice(read, read + part))
    const parents = await parentsOf(db, organizationId, logged, shapes)
    for (const event of logged) {
      if (isTurnOver()) await nextTurn(organizationId)
      const seen = isSelected(event.type) ? visibleEvent(caller, event, { shapes, parents }) : null
      if (!seen) continue
      const envelope = { ...envelopeOf(seen), operationId: seen.operationId }
      data.push(envelope)
      bytes += Buffer.byteLength(JSON.stringify(envelope))
      if (data.length === limit || bytes >= bytesMax) return page(event.position)
    }
    while (read < positions.length && positions[read]! <= through) read++
  }
  return page(end)
}

/** Events are missing after the cursor; `next` is a cursor behind them. */
const expired = (next: number): Refusal =>
  new Refusal(
    'CURSOR_EXPIRED',
    `The events after the cursor are not all kept any more. Read the records again, then continue with after: "${next}".`,
  )

/** The position after which a page begins: that of the cursor, or the oldest event that is kept. */
async function startAfter(
  { db, caller }: RequestContext,
  after: string | null,
): Promise<{ readonly start: number; readonly latest: number; readonly isOldest: boolean }> {
  if (after !== null && !/^\d{1,15}$/.test(after))
    throw invalid({ path: 'after', code: 'NOT_A_CURSOR', message: 'after must be the nextCursor of a page of events.' })
  const { oldest, latest } = await keptPositions(db, caller.organizationId)
  const position = Number(after ?? 0)
  if (position > latest)
    throw invalid({
      path: 'after',
      code: 'UNKNOWN_CURSOR',
      message: `after must be the nextCursor of a page of events; the latest cursor is "${latest}".`,
    })
  const first = (oldest ?? latest + 1) - 1
  if (position === 0) return { start: Math.min(first, latest), latest, isOldest: true }
  if (position < first) throw expired(first)
  return { start: position, latest, isOldest: false }
}
