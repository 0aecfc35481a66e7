import type { Sql } from '../../kernel/database/sql.ts'
import type { EventBatch, EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import type { Services } from '../../kernel/request.ts'

const verbs = ['created', 'updated', 'deleted', 'restored']
const types = [
  ...['opportunity', 'activity'].flatMap((object) => verbs.map((verb) => `${object}.${verb}`)),
  'opportunity.stage_changed',
  'opportunity.won',
  'opportunity.lost',
  'opportunity.reopened',
  'contact.updated',
  'contact.deleted',
  'contact.restored',
  'pipeline.updated',
]

/** Marks the deals whose factors may have changed; they are computed before the next answer that contains them, or by the job. */
export const dealScoreConsumer: EventConsumer = {
  name: 'dealScore',
  batch: 500,
  gatherMs: 250,
  types: () => Promise.resolve(types),
  consume,
}

type Facts = Readonly<Record<string, unknown>>

const recordsOf = ({ data }: LoggedEvent): { record: Facts; previous: Facts } => {
  const { record, previous } = data as { record: Facts; previous?: Facts | null }
  return { record, previous: previous ?? {} }
}

/** Most changes of contacts concern no deal. */
function concernsDeals(event: LoggedEvent): boolean {
  if (event.type !== 'contact.updated') return true
  const { record, previous } = recordsOf(event)
  return 'buyingRole' in previous && previous['buyingRole'] !== record['buyingRole']
}

async function consume(_services: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  const of = (object: string): readonly LoggedEvent[] => events.filter((event) => event.object === object)
  const deals = new Set(of('opportunity').map(({ recordId }) => recordId))
  for (const event of of('activity')) {
    const { record, previous } = recordsOf(event)
    for (const id of [record['opportunityId'], previous['opportunityId']]) if (typeof id === 'string') deals.add(id)
  }
  const contacts = of('contact')
    .filter(concernsDeals)
    .map(({ recordId }) => recordId)
  const pipelines = of('pipeline').map(({ recordId }) => recordId)
  if (contacts.length + pipelines.length > 0) {
    const rows = await sql.query<{ id: string }>(
      `select id from crm.opportunity where organization_id = $1 and deleted_at is null and not is_closed
       and (contact_ids && $2::text[] or pipeline_id = any($3::uuid[]))`,
      [organizationId, contacts, pipelines],
    )
    for (const { id } of rows) deals.add(id)
  }
  if (deals.size === 0) return
  // In the order of ids, as everybody locks them.
  await sql.query(
    `insert into insights.deal_score (organization_id, deal_id, is_dirty)
     select $1, o.id, true from crm.opportunity o where o.organization_id = $1 and o.id = any($2::uuid[]) order by o.id
     on conflict (organization_id, deal_id) do update set is_dirty = true`,
    [organizationId, [...deals]],
    'WRITE',
  )
}
