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
/** Attempts that a delivery may have in addition to those that the webhook allows, when some were lost: one that ends its worker is given up. */
const lostAttemptsMax = 5

/** Sends a delivery once. Nothing is recorded here. */
export async function attemptDelivery(services: Services, item: Leased<QueuedDelivery>): Promise<Outcome> {
  const { webhooks, bodies } = loadersOf(services)
  const failed = (error: string): Outcome => ({ end: 'FAILED', error })
  if (item.attempts > item.attemptsMax + lostAttemptsMax)
    return failed('The outcomes of several attempts of this delivery were lost, so it was given up.')
  const { organizationId, bodyId } = item
  const [webhookOf, stored] = await beforeSending(
    Promise.all([webhooks.load(organizationId), bodies.load({ organizationId, id: bodyId })]),
  )
  if (stored === null) return failed('The delivery was older than 30 days.')
  const webhook = webhookOf(item.webhookId)
  const refusal = refusalOf(webhook, item)
  if (refusal !== null) return failed(refusal)
  const mayBeSelected = webhook!.selection !== null && !item.isReplay && !item.isTest
  const body = mayBeSelected
    ? await beforeSending(withSelection(services, webhook!, { ...item, body: stored }))
    : stored
  // The attempts of a lease begin together, and signing large bodies takes long.
  if (body.length > largeBodyFrom) await ownEventLoopTurn(organizationId)
  return send(services, item, webhook!, body)
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
  text: string,
): Promise<Outcome> {
  const now = clock.now()
  const body = Buffer.from(text)
  const signature = signatureOf(webhook, { eventId: item.eventId, body }, now)
  const logged = { ...signature, ...redacted(webhook.headers) }
  const startedMs = performance.now()
  const result = (answer: OutboundAnswer | null): AttemptResult => ({
    requestHeaders: logged,
    responseStatus: answer?.status ?? null,
    responseBody: answer && keptText(answer.body, answer.headers['content-encoding']),
    latencyMs: Math.round(performance.now() - startedMs),
  })
  try {
    const answer = await outbound.send({
      method: 'POST',
      url: webhook.url,
      headers: { ...headersOf(item, signature), ...webhook.headers },
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
  { eventId, body }: Pick<QueuedDelivery, 'eventId'> & { readonly body: Buffer },
  now: Date,
): Headers {
  return signatureHeaders({ eventId: shownEventId(eventId), body, now }, signingSecrets(webhook, now))
}

/** The headers of an attempt, except those that the webhook adds. The view `events.delivery_shown` adds the same ones to the stored signature. */
function headersOf(item: Leased<QueuedDelivery>, signature: Headers): Headers {
  const { attempts, eventId, eventType, eventVersion } = item
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'crm-webhooks/1',
    ...signature,
    'X-Service-Event': eventType,
    'X-Service-Event-Id': shownEventId(eventId),
    'X-Service-Event-Version': String(eventVersion),
    'X-Service-Delivery': attemptIdOf(item),
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
  readonly bodies: DataLoader<Reference, string | null, string>
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
    bodies: new DataLoader(
      async (wanted) => {
        // A body that several of them share is read once.
        const different = [...new Map(wanted.map((each) => [keyOf(each), each])).values()]
        const rows = await services.database.query<Reference & { readonly body: string } & Record<string, unknown>>(
          `select b.organization_id as "organizationId", b.id, b.body
           from unnest($1::uuid[], $2::uuid[]) wanted(organization_id, id)
           join events.delivery_body b on b.organization_id = wanted.organization_id and b.id = wanted.id`,
          [different.map(({ organizationId }) => organizationId), different.map(({ id }) => id)],
        )
        const found = new Map(rows.map((row) => [keyOf(row), row.body]))
        return wanted.map((each) => found.get(keyOf(each)) ?? null)
      },
      { cache: false },
    ),
  }
}
