import DataLoader from 'dataloader'
import { OutboundError, type OutboundAnswer } from '../../kernel/outbound/outbound.ts'
import { AttemptNotBegun, type Leased, type Outcome } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { ownEventLoopTurn } from '../../kernel/work/turn.ts'
import { shownEventId } from '../envelope/envelope.ts'
import {
  signingSecrets,
  WebhookReader,
  type ReadWebhook,
  type SigningWebhook,
  type SubscribedWebhook,
} from '../webhook/webhook-reader.ts'
import { attemptIdOf, type AttemptResult, type QueuedDelivery } from './queued-delivery.ts'
import { keptText } from './kept-text.ts'
import { requestedDelayMs } from './retry-delay.ts'
import { signatureHeaders } from './signature.ts'
import { withSelection } from './with-selection.ts'

const exchangeMs = 10_000
const responseBytesKept = 2_048
/** A longer response is not read to its end: the connection is closed. */
const responseBytesMax = 65_536
/** From this length on, a body is signed and sent in its own turn of the event loop. */
const largeBodyFrom = 8_192
/** Attempts of which no outcome is known, in addition to those that the webhook allows: a delivery that ends its worker is given up. */
const lostAttemptsMax = 5

/** The part of a delivery that all its attempts have in common. */
interface Content {
  readonly organizationId: string
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly body: string
}

interface StoredContent extends Omit<Content, 'body'> {
  readonly bodyId: string | null
  /** Null if another row of the same read has it, or if it is no longer stored. */
  readonly body: string | null
}

/** Sends a delivery once. Nothing is recorded here. */
export async function attemptDelivery(services: Services, item: Leased<QueuedDelivery>): Promise<Outcome> {
  const { webhooks, contents } = loadersOf(services)
  const attemptId = attemptIdOf(item)
  const notSent = { attemptId, requestHeaders: null, responseStatus: null, responseBody: null, latencyMs: null }
  const failed = (error: string): Outcome => ({ end: 'FAILED', error, result: asResult(notSent) })
  if (item.attempts > item.attemptsMax + lostAttemptsMax)
    return failed('The outcomes of several attempts of this delivery were lost, so it was given up.')
  const [webhookOf, content] = await beforeSending(
    Promise.all([
      webhooks.load(item.organizationId),
      contents.load({ organizationId: item.organizationId, id: item.id }),
    ]),
  )
  if (!content) return failed('The delivery was older than 30 days.')
  const webhook = webhookOf(item.webhookId)
  const refusal = refusalOf(webhook, item)
  if (refusal !== null) return failed(refusal)
  const mayBeSelected = webhook!.selection !== null && !item.isReplay && !item.isTest
  const body = mayBeSelected
    ? await beforeSending(withSelection(services, webhook!, { ...content, isLate: item.isLate }))
    : content.body
  // The attempts of a lease begin together, and signing large bodies takes long.
  if (body.length > largeBodyFrom) await ownEventLoopTurn(item.organizationId)
  return send(services, item, webhook!, { ...content, body }, attemptId)
}

/** An error of the platform, such as a database that restarts, is no failure of the receiver, and its message is not for clients. */
const beforeSending = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new AttemptNotBegun('The delivery could not be prepared.', { cause })
  })

/** Why a webhook gets nothing at this moment. */
function refusalOf(webhook: ReadWebhook | null, { isReplay, isTest }: QueuedDelivery): string | null {
  if (!webhook) return 'The webhook was deleted before this attempt.'
  if (webhook.isPaused) return 'The owner of the webhook was no active owner or admin at the time of this attempt.'
  if (!webhook.isEnabled && !isReplay && !isTest) return 'The webhook was turned off before this attempt.'
  return null
}

const asResult = (result: AttemptResult): Readonly<Record<string, unknown>> => ({ ...result })

async function send(
  { outbound, clock }: Services,
  item: Leased<QueuedDelivery>,
  webhook: SubscribedWebhook,
  content: Content,
  attemptId: string,
): Promise<Outcome> {
  const now = clock.now()
  const body = Buffer.from(content.body)
  const signature = signatureOf(webhook, { eventId: content.eventId, body }, now)
  const logged = { ...signature, ...redacted(webhook.headers) }
  const startedMs = performance.now()
  const result = (answer: OutboundAnswer | null): AttemptResult => ({
    attemptId,
    requestHeaders: logged,
    responseStatus: answer?.status ?? null,
    responseBody: answer && keptText(answer.body, answer.headers['content-encoding']),
    latencyMs: Math.round(performance.now() - startedMs),
  })
  try {
    const answer = await outbound.send({
      method: 'POST',
      url: webhook.url,
      headers: { ...headersOf(item, content, attemptId, signature), ...webhook.headers },
      body,
      timeoutMs: exchangeMs,
      answerBytesMax: responseBytesMax,
      answerBytesKept: responseBytesKept,
      keepAlive: true,
    })
    const { status, headers } = answer
    if (status >= 200 && status < 300) return { end: 'SUCCEEDED', result: asResult(result(answer)) }
    const afterMs = requestedDelayMs(status, headers['retry-after'], clock.now())
    const retry = status >= 300 && status < 400 ? redirected(status) : `The receiver answered with status ${status}.`
    return { retry, afterMs, result: asResult(result(answer)) }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { retry: error.message, result: asResult(result(null)) }
  }
}

const redirected = (status: number): string =>
  `The receiver answered with the redirect ${status}; redirects are not followed.`

type Headers = Readonly<Record<string, string>>

const redacted = (headers: Headers): Headers =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, '[redacted]']))

/** The headers of an attempt that the log stores, in addition to the names of those that the webhook adds. */
export function signatureOf(
  webhook: SigningWebhook,
  { eventId, body }: Pick<Content, 'eventId'> & { readonly body: Buffer },
  now: Date,
): Headers {
  return signatureHeaders({ eventId: shownEventId(eventId), body, now }, signingSecrets(webhook, now))
}

/** The headers of an attempt, except those that the webhook adds. The view `events.delivery_shown` adds the same ones to the stored signature. */
function headersOf(
  { attempts }: QueuedDelivery,
  { eventId, eventType, eventVersion }: Content,
  attemptId: string,
  signature: Headers,
): Headers {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'crm-webhooks/1',
    ...signature,
    'X-Service-Event': eventType,
    'X-Service-Event-Id': shownEventId(eventId),
    'X-Service-Event-Version': String(eventVersion),
    'X-Service-Delivery': attemptId,
    'X-Service-Attempt': String(attempts),
  }
}

interface Reference {
  readonly organizationId: string
  readonly id: string
}

const keyOf = ({ organizationId, id }: Reference): string => `${organizationId}:${id}`

/** Attempts of the same lease begin together, so their reads are combined. */
interface Loaders {
  readonly webhooks: DataLoader<string, (id: string) => ReadWebhook | null>
  /** Null if it is no longer stored. */
  readonly contents: DataLoader<Reference, Content | null, string>
}

const loaders = new WeakMap<Services, Loaders>()

function loadersOf(services: Services): Loaders {
  let found = loaders.get(services)
  if (!found) loaders.set(services, (found = newLoaders(services)))
  return found
}

function newLoaders(services: Services): Loaders {
  const reader = new WebhookReader(services)
  return {
    webhooks: new DataLoader(
      async (organizationIds) => {
        const reads = new Map([...new Set(organizationIds)].map((id) => [id, reader.of(id)] as const))
        return Promise.all(organizationIds.map((id) => reads.get(id)!))
      },
      { cache: false },
    ),
    contents: new DataLoader(
      async (wanted) => {
        // A body that several of them share is read once.
        const rows = await services.database.query<StoredContent & Record<string, unknown>>(
          `select d.organization_id as "organizationId", d.id, d.event_id as "eventId", d.event_type as "eventType",
             d.event_version as "eventVersion", b.id as "bodyId",
             coalesce(d.request_body, case when row_number() over (partition by b.organization_id, b.id) = 1 then b.body end) as body
           from unnest($1::uuid[], $2::uuid[]) wanted(organization_id, id)
           join events.delivery d on d.organization_id = wanted.organization_id and d.id = wanted.id
           left join events.delivery_body b on b.organization_id = d.organization_id and b.id = d.body_id`,
          [wanted.map(({ organizationId }) => organizationId), wanted.map(({ id }) => id)],
        )
        const bodies = new Map(
          rows.map(({ bodyId, body }) => [bodyId, body] as const).filter(([, body]) => body !== null),
        )
        const found = new Map(rows.map((row) => [keyOf(row), row]))
        return wanted.map((each) => {
          const row = found.get(keyOf(each))
          const body = row && (row.body ?? bodies.get(row.bodyId))
          return row && body != null ? { ...row, body } : null
        })
      },
      { cache: false },
    ),
  }
}
