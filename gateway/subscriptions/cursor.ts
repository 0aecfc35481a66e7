import { invalid } from '../../subgraphs/kernel/errors.ts'
import type { EventFeed } from '../../subgraphs/kernel/outbox/event-feed.ts'

const refused = (code: string, message: string) => invalid({ path: 'after', code, message })

/**
 * The position at which a subscription begins: after the given cursor, or at the end of the log. Rejects with a `Refusal` if events
 * after the cursor are no longer kept, or if the log has no such position.
 */
export async function startAfter(
  events: Pick<EventFeed, 'latest' | 'oldest'>,
  organizationId: string,
  after: unknown,
): Promise<number> {
  if (after === undefined || after === null) return events.latest(organizationId)
  if (typeof after !== 'string' || !/^\d{1,15}$/.test(after)) {
    throw refused('WRONG_FORMAT', 'after must be the `cursor` of an event.')
  }
  const position = Number(after)
  // The oldest event is read last, so that it is not older than the latest position.
  const latest = await events.latest(organizationId)
  if (position > latest) {
    throw refused('UNKNOWN_CURSOR', `after must be the \`cursor\` of an event; the latest cursor is "${latest}".`)
  }
  // Everything that is kept.
  if (position === 0 || position === latest) return position
  const oldest = (await events.oldest(organizationId)) ?? latest + 1
  if (position >= oldest - 1) return position
  throw refused(
    'CURSOR_EXPIRED',
    `Events after this cursor are no longer kept (events are kept for 30 days). Read the records again, then subscribe with after: "${oldest - 1}" or without after.`,
  )
}
