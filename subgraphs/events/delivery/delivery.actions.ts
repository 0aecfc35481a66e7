import { seesLess } from '../../identity/public.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { readPage, type PageArgs } from '../../kernel/record/list.ts'
import { readOne } from '../../kernel/record/read.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'
import { webhook } from '../webhook/webhook.record.ts'
import type { Webhook } from '../webhook/webhook.ts'
import { delivery } from './delivery.record.ts'
import { newBody, storedBody } from './delivery-body.ts'
import { queueDeliveries } from './new-delivery.ts'

const webhooks = recordsOf(webhook)

/** The webhook, for an owner or admin; 404 when it does not exist or was deleted. */
export function requireWebhook(ctx: RequestContext, id: string): Promise<Webhook> {
  requireAdministrator(ctx)
  return webhooks.require(ctx, id)
}

interface Shown {
  readonly requestBody?: unknown
  readonly responseBody?: unknown
}

/**
 * An attempt as the caller sees it: bodies contain what the owner of the webhook may see, so an admin who does not see all records and fields
 * gets those of the own webhooks only.
 */
function shownTo<Row extends Shown>({ caller }: RequestContext, { ownerId }: Webhook, row: Row): Row {
  if (caller.role === 'OWNER' || caller.userId === ownerId || !seesLess(caller)) return row
  return { ...row, requestBody: null, responseBody: null }
}

export interface DeliveryListArgs extends Pick<PageArgs, 'page' | 'limit' | 'cursor'> {
  readonly status?: readonly WebhookDeliveryStatus[] | null
}

/** More attempts are not counted: an endpoint may have millions. */
export const countedMax = 10_000

/** Attempts, newest first. */
export async function readDeliveries(
  ctx: RequestContext,
  webhookId: string,
  { status, ...range }: DeliveryListArgs,
  info: SelectionInfo,
) {
  const found = await requireWebhook(ctx, webhookId)
  const { id } = found
  const filter = { webhookId: { eq: id }, ...(status?.length && { status: { in: status } }) }
  const selected = { page: selectedFields(info), record: selectedFields(info, ['data']), total: false }
  const read = await readPage(ctx, delivery, { ...range, filter }, selected)
  const page = { ...read, data: read.data.map((row) => shownTo(ctx, found, row)) }
  if (!isAnySelected(info, 'total', 'totalPages')) return page
  const total = await countAttempts(ctx, id, status?.length ? status : null)
  return { ...page, total, totalPages: total === null ? null : Math.ceil(total / page.limit) }
}

/** Null if there are more than `countedMax`. */
async function countAttempts(
  { db, caller, answered }: RequestContext,
  webhookId: string,
  status: readonly WebhookDeliveryStatus[] | null,
): Promise<number | null> {
  answered?.aggregate(delivery)
  const ofStatus = status ? ' and status = any($3)' : ''
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from events.delivery_shown where organization_id = $1 and webhook_id = $2${ofStatus} limit ${countedMax + 1}
     ) counted`,
    [caller.organizationId, webhookId, ...(status ? [status] : [])],
    'SCAN',
  )
  return row!.count > countedMax ? null : row!.count
}

export async function readDelivery(ctx: RequestContext, webhookId: string, id: string, info: SelectionInfo) {
  return readDeliveryOf(ctx, await requireWebhook(ctx, webhookId), id, selectedFields(info))
}

async function readDeliveryOf(ctx: RequestContext, of: Webhook, id: string, selected: ReadonlySet<string>) {
  const row = await readOne(ctx, delivery, id, new Set([...selected, 'webhookId']))
  if (row?.['webhookId'] !== of.id) throw notFound('The delivery')
  return shownTo(ctx, of, row)
}

interface Stored {
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly bodyId: string | null
  readonly bodyBytes: number
  /** The body of a delivery that has it in its own row. */
  readonly ownBody: string | null
}

/** Queues the stored body again, as a new delivery with the same event id. Nothing is sent in the transaction of the request. */
export async function replayDelivery(ctx: RequestContext, webhookId: string, id: string, info: SelectionInfo) {
  const found = await requireWebhook(ctx, webhookId)
  const { organizationId } = ctx.caller
  const [stored] = isId(id)
    ? await ctx.db.query<Stored & Record<string, unknown>>(
        `select d.event_id as "eventId", d.event_type as "eventType", d.event_version as "eventVersion", b.id as "bodyId", octet_length(b.body) as "bodyBytes",
           f.request_body as "ownBody"
         from (
           select event_id, event_type, event_version, body_id, first_id from events.delivery
           where organization_id = $1 and id = $2 and webhook_id = $3 and created_at > now() - interval '30 days'
           union all
           select event_id, event_type, event_version, body_id, id from events.delivery_queue
           where organization_id = $1 and id = $2 and webhook_id = $3 and logged_id is null
         ) d
         left join events.delivery f on f.organization_id = $1 and f.id = d.first_id
         left join events.delivery_body b on b.organization_id = $1 and b.id = d.body_id`,
        [organizationId, id, found.id],
      )
    : []
  if (!stored) throw notFound('The delivery')
  const { bodyId, bodyBytes, ownBody, ...event } = stored
  const body = bodyId !== null ? storedBody(bodyId, bodyBytes) : ownBody !== null ? newBody(ownBody) : null
  if (body === null)
    throw new Refusal(
      'INVALID_STATE',
      'The delivery has no stored body: it was too large, or the event is older than 30 days.',
    )
  return queueOne(ctx, found, { ...event, body, isReplay: true }, info)
}

type Queued = Omit<
  Parameters<typeof queueDeliveries>[1][number],
  'organizationId' | 'webhookId' | 'attemptsMax' | 'retryDelaySeconds'
>

/** Queues one delivery that is not retried, and returns it. */
export async function queueOne(ctx: RequestContext, of: Webhook, queued: Queued, info: SelectionInfo) {
  const { organizationId } = ctx.caller
  return inTransaction(ctx, async (inner) => {
    const single = { ...queued, organizationId, webhookId: of.id, attemptsMax: 1, retryDelaySeconds: 60 }
    const [id] = await queueDeliveries(inner.db, [single])
    return readDeliveryOf(inner, of, id!, selectedFields(info))
  })
}
