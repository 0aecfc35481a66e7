import { findActingUser, seesLess } from '../../identity/public.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { readPage, type PageArgs } from '../../kernel/record/list.ts'
import { readOne } from '../../kernel/record/read.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { ownEventLoopTurn } from '../../kernel/work/turn.ts'
import type { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'
import { webhook } from '../webhook/webhook.record.ts'
import type { Webhook } from '../webhook/webhook.ts'
import { delivery } from './delivery.record.ts'
import type { WebhookDelivery } from './delivery.ts'
import { newBody, storedBody } from './delivery-body.ts'
import { queueDeliveries } from './new-delivery.ts'
import { isEventReadable, isPartReadable } from './readable-body.ts'

const webhooks = recordsOf(webhook)

/** The webhook, for an owner or admin; 404 when it does not exist or was deleted. */
export function requireWebhook(ctx: RequestContext, id: string): Promise<Webhook> {
  requireAdministrator(ctx)
  return webhooks.require(ctx, id)
}

/** What decides whether the bodies of an attempt are shown. */
const deciding = ['requestBody', 'bodyRights', 'eventId', 'eventType'] as const

const withDeciding = (selected: ReadonlySet<string>): ReadonlySet<string> =>
  selected.has('requestBody') || selected.has('responseBody') ? new Set([...selected, ...deciding]) : selected

type Shown = Readonly<Pick<WebhookDelivery, (typeof deciding)[number]>>

/**
 * The attempts as the caller sees them. A body has what an owner of the webhook saw when it was made; the caller gets it only with the rights to
 * see all of that. An admin who does not see all records and fields gets those of the own webhooks only.
 */
async function shownTo(ctx: RequestContext, { ownerId }: Webhook, rows: readonly Row[]): Promise<Row[]> {
  const { caller } = ctx
  const isOthers = caller.role !== 'OWNER' && caller.userId !== ownerId && seesLess(caller)
  const shown: Row[] = []
  for (const row of rows) {
    const isShown = row['requestBody'] == null || (!isOthers && (await isReadableBy(ctx, row as unknown as Shown)))
    shown.push(isShown ? row : { ...row, requestBody: null, responseBody: null })
  }
  return shown
}

/** Reading a larger body has its own turn of the event loop. */
const largeBodyFrom = 8_192

async function isReadableBy(ctx: RequestContext, { requestBody, bodyRights, ...event }: Shown): Promise<boolean> {
  const { caller, db, shapes } = ctx
  const { organizationId } = caller
  if (!isPartReadable(caller, bodyRights)) return false
  if (seesLess(caller) && requestBody!.length > largeBodyFrom) await ownEventLoopTurn(organizationId)
  const body = { ...event, text: requestBody!, hasPart: bodyRights !== null }
  return isEventReadable({ db, shapes, organizationId }, caller, body)
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
  const selected = { page: selectedFields(info), record: withDeciding(selectedFields(info, ['data'])), total: false }
  const read = await readPage(ctx, delivery, { ...range, filter }, selected)
  const page = { ...read, data: await shownTo(ctx, found, read.data) }
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
  const row = await readOne(ctx, delivery, id, new Set([...withDeciding(selected), 'webhookId']))
  if (row?.['webhookId'] !== of.id) throw notFound('The delivery')
  const [shown] = await shownTo(ctx, of, [row])
  return shown!
}

interface Stored {
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly bodyId: string | null
  readonly bodyBytes: number
  /** The body of a delivery that has it in its own row. */
  readonly ownBody: string | null
  /** The body of the event. */
  readonly text: string | null
  readonly isPart: boolean | null
  readonly rights: string | null
}

/** Queues the stored body again, as a new delivery with the same event id. Nothing is sent in the transaction of the request. */
export async function replayDelivery(ctx: RequestContext, webhookId: string, id: string, info: SelectionInfo) {
  const found = await requireWebhook(ctx, webhookId)
  const { organizationId } = ctx.caller
  const [stored] = isId(id)
    ? await ctx.db.query<Stored & Record<string, unknown>>(
        `select d.event_id as "eventId", d.event_type as "eventType", d.event_version as "eventVersion", b.id as "bodyId",
           octet_length(b.body) + coalesce(octet_length(base.body) + 1, 0) as "bodyBytes", f.request_body as "ownBody",
           b.base_id is not null as "isPart", b.rights, coalesce(base.body, b.body, f.request_body) as text
         from (
           select event_id, event_type, event_version, body_id, first_id from events.delivery
           where organization_id = $1 and id = $2 and webhook_id = $3 and created_at > now() - interval '30 days'
           union all
           select event_id, event_type, event_version, body_id, id from events.delivery_queue
           where organization_id = $1 and id = $2 and webhook_id = $3 and logged_id is null
         ) d
         left join lateral (select * from events.delivery where organization_id = $1 and id = d.first_id offset 0) f on true
         left join lateral (select * from events.delivery_body where organization_id = $1 and id = d.body_id offset 0) b on true
         left join lateral (select * from events.delivery_body where organization_id = $1 and id = b.base_id offset 0) base on true`,
        [organizationId, id, found.id],
      )
    : []
  if (!stored) throw notFound('The delivery')
  const { bodyId, bodyBytes, ownBody, text, isPart, rights, ...event } = stored
  const body = bodyId !== null ? storedBody(bodyId, bodyBytes) : ownBody !== null ? newBody(ownBody) : null
  if (body === null)
    throw refusalInSituation('The delivery has no stored body: it was too large, or the event is older than 30 days.')
  const owner = await findActingUser(ctx.db, organizationId, found.ownerId)
  const reader = owner && { ...owner, userId: found.ownerId }
  const mayReceive =
    reader !== null &&
    (!isPart || isPartReadable(reader, rights)) &&
    (await isEventReadable({ db: ctx.db, shapes: ctx.shapes, organizationId }, reader, {
      ...event,
      text: text!,
      hasPart: false,
    }))
  if (!mayReceive) {
    const message = 'The owner of the webhook may not see what the delivery contains, so it is not sent again.'
    throw refusalInSituation(message)
  }
  return queueOne(ctx, found, { ...event, body, isReplay: true }, info)
}

type Queued = Omit<
  Parameters<typeof queueDeliveries>[1][number],
  'organizationId' | 'webhookId' | 'attemptsMax' | 'retryDelaySeconds' | 'depth'
>

/** Queues one delivery that is not retried, and returns it. */
export async function queueOne(ctx: RequestContext, of: Webhook, queued: Queued, info: SelectionInfo) {
  const { organizationId, depth = 0 } = ctx.caller
  return inTransaction(ctx, async (inner) => {
    const single = { ...queued, organizationId, webhookId: of.id, attemptsMax: 1, retryDelaySeconds: 60, depth }
    const [id] = await queueDeliveries(inner.db, [single])
    return readDeliveryOf(inner, of, id!, selectedFields(info))
  })
}
