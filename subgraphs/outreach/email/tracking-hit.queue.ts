import type { Job } from '../../kernel/jobs/job.ts'
import { Refusal } from '../../kernel/errors.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { organizationContext } from './organization-context.ts'
import { applySignal } from './email-status.ts'

interface TrackingHit extends QueuedItem {
  readonly messageId: string
  readonly link: number | null
  readonly isMachine: boolean
  readonly seenAt: string
}

/** Counts opens and clicks after the gateway has stored them; those of one mail one after the other. */
export const trackingHitQueue: Queue<TrackingHit> = {
  name: 'tracking_hit',
  table: 'outreach.tracking_hit',
  columns: 'message_id as "messageId", link, is_machine as "isMachine", seen_at as "seenAt"',
  leaseMs: 30_000,
  lanes: { fresh: 2, retry: 1 },
  shares: { organization: 'organization_id', key: 'message_id', perKeyMax: 1 },
  attemptsMax: () => 10,
  retryAfterMs: ({ attempts }) => 1000 * 2 ** attempts,
  retentionMs: 86_400_000,
  attempt: countHit,
}

export const deleteOldHits: Job = {
  name: 'outreach.forgetHits',
  cron: '45 * * * *',
  run: (services) => deleteFinishedItems(trackingHitQueue, services),
}

async function countHit(services: Services, item: Leased<TrackingHit>): Promise<Outcome> {
  const { messageId, link, isMachine, seenAt: at } = item
  const ctx = organizationContext(services, item.organization!)
  try {
    await applySignal(ctx, messageId, ({ links }) => {
      if (link === null) return { kind: 'OPENED', at, isMachine }
      const url = links[link]
      return url ? { kind: 'CLICKED', at, url, isMachine } : null
    })
    return { end: 'COUNTED' }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return { end: 'GONE' }
    throw error
  }
}
