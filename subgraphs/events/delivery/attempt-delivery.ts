import DataLoader from 'dataloader'
import { findActingUser } from '../../identity/public.ts'
import { depthMax } from '../../kernel/automation/depth.ts'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Authentication } from '../../kernel/outbound/named-credentials.ts'
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '../../kernel/outbound/outbound.ts'
import { cutSecretMask, secretMask } from '../../kernel/sandbox/mask-secrets.ts'
import { AttemptNotBegun, type Leased, type Outcome } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { ownEventLoopTurn } from '../../kernel/work/turn.ts'
import { shownEventId } from '../envelope/envelope.ts'
import type { Recipient } from '../envelope/visibility.ts'
import {
  signingSecrets,
  WebhookReader,
  type ReadWebhook,
  type SigningWebhook,
  type SubscribedWebhook,
} from '../webhook/webhook-reader.ts'
import { attemptIdOf, type AttemptResult, type QueuedDelivery } from './queued-delivery.ts'
import { keptText } from './kept-text.ts'
import { isPartReadable, isStoredEventReadable } from './readable-body.ts'
import { requestedDelayMs } from './retry-delay.ts'
import { signatureHeaders } from './signature.ts'
import { storedBodies, wholeText, type StoredBody } from './stored-body.ts'
import { withSelection } from './with-selection.ts'

type Headers = Readonly<Record<string, string>>

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
  const { webhooks, bodies, owners } = loadersOf(services)
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
  const { ownerId } = webhook!
  const owner = await beforeSending(owners.load({ organizationId, id: ownerId }))
  if (owner === null) return failed(notReadable)
  // The attempts of a lease begin together, and reading and signing large bodies takes long.
  if (stored.text.length + (stored.members?.length ?? 0) > largeBodyFrom) await ownEventLoopTurn(organizationId)
  const reader = { ...owner, userId: ownerId }
  if (!(await beforeSending(isReadable(services, item, stored, reader)))) return failed(notReadable)
  const mayBeSelected = webhook!.selection !== null && !item.isReplay && !item.isTest && stored.members === null
  if (!mayBeSelected) return sendBody(services, item, webhook!, wholeText(stored))
  const body = await beforeSending(withSelection(services, webhook!, owner, item, stored))
  if (body.length > largeBodyFrom) await ownEventLoopTurn(organizationId)
  return sendBody(services, item, webhook!, body)
}

const notReadable = 'The owner of the webhook may not see what this delivery contains.'

/** The owner, or the rights of the owner, may have changed since the event, also before the first attempt. */
async function isReadable(
  { database: db, shapes }: Services,
  { organizationId, eventId, eventType }: QueuedDelivery,
  { id: bodyId, text, members, rights }: StoredBody,
  owner: Recipient,
): Promise<boolean> {
  if (members !== null && !isPartReadable(owner, rights)) return false
  await shapes.load(organizationId)
  const context = { db, shapes: shapes.shapesOf(organizationId), organizationId }
  return isStoredEventReadable(context, owner, { bodyId, eventId, eventType, text, hasPart: false })
}

/** An error of the platform, such as a database that restarts, is no failure of the receiver, and its message is not for clients. */
const beforeSending = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new AttemptNotBegun('The delivery could not be prepared.', { cause })
  })

/** Why a webhook gets nothing at this moment. */
function refusalOf(webhook: ReadWebhook | null, { isReplay, isTest, depth }: QueuedDelivery): string | null {
  if (!webhook) return 'The webhook was deleted before this attempt.'
  if (webhook.isPaused) return 'The owner of the webhook was no active owner or admin at the time of this attempt.'
  if (!webhook.isEnabled && !isReplay && !isTest) return 'The webhook was turned off before this attempt.'
  if (depth > depthMax)
    return `Automations and webhooks have started one another more than ${depthMax} times up to this event, so it was not sent.`
  return null
}

const asResult = (result: AttemptResult): Readonly<Record<string, unknown>> => ({ ...result })

async function sendBody(
  { outbound, credentials, clock }: Services,
  item: Leased<QueuedDelivery>,
  webhook: SubscribedWebhook,
  text: string,
): Promise<Outcome> {
  const now = clock.now()
  const body = Buffer.from(text)
  const stored = storedHeaders(webhook, { ...item, body }, now)
  const startedMs = performance.now()
  const result = (answer: OutboundAnswer | null, added: Authentication | null = null): AttemptResult => ({
    requestHeaders: { ...stored, ...redacted({ ...webhook.headers, ...added?.headers }) },
    responseStatus: answer?.status ?? null,
    responseBody: answer && masked(answer, { ...secretsOf(webhook.headers), ...added?.secrets }),
    latencyMs: Math.round(performance.now() - startedMs),
  })
  const request: OutboundRequest = {
    method: 'POST',
    url: webhook.url,
    headers: { ...headersOf(item, stored), ...webhook.headers },
    body,
    timeoutMs: exchangeMs,
    answerBytesMax: responseBytesMax,
    answerBytesKept: responseBytesKept,
    keepAlive: true,
  }
  try {
    const { organizationId } = item
    const { namedCredentialId: credentialId } = webhook
    const { authentication, ...answer } =
      credentialId === null
        ? { ...(await outbound.send(request)), authentication: null }
        : await credentials.send({ organizationId, credentialId, managedBy: null }, request)
    const { status, headers } = answer
    if (status >= 200 && status < 300) return { end: 'SUCCEEDED', result: asResult(result(answer, authentication)) }
    const afterMs = requestedDelayMs(status, headers['retry-after'], clock.now())
    const retry = status >= 300 && status < 400 ? redirected(status) : `The receiver answered with status ${status}.`
    return { retry, afterMs, result: asResult(result(answer, authentication)) }
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof Refusal)) throw error
    return { retry: error.message, result: asResult(result(null)) }
  }
}

/** The values of headers are not returned, nor is what follows the scheme in a value such as `Bearer abc`. */
const secretsOf = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => [
      [name, value],
      [`${name} without scheme`, value.slice(value.indexOf(' ') + 1)],
    ]),
  )

/** A receiver may repeat what it got, and the log is read by more people than credentials are. */
function masked({ body, headers }: OutboundAnswer, secrets: Headers): string | null {
  const text = keptText(body, headers['content-encoding'])
  if (text === null || Object.keys(secrets).length === 0) return text
  const mask = body.length < responseBytesKept ? secretMask : cutSecretMask
  return mask(secrets)(text)
}

const redirected = (status: number): string =>
  `The receiver answered with the redirect ${status}; redirects are not followed.`

const redacted = (headers: Headers): Headers =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, '[redacted]']))

/**
 * The headers of an attempt that the log stores, in addition to the names of those that the webhook adds: the signature, and the depth of what the
 * receiver starts by requests with this header. The delivery itself is one deeper than its event.
 */
export function storedHeaders(
  webhook: SigningWebhook,
  { eventId, depth, body }: Pick<QueuedDelivery, 'eventId' | 'depth'> & { readonly body: Buffer },
  now: Date,
): Headers {
  const signature = signatureHeaders({ eventId: shownEventId(eventId), body, now }, signingSecrets(webhook, now))
  return { ...signature, 'X-Service-Function-Depth': String(depth + 2) }
}

/** The headers of an attempt, except those that the webhook adds. The view `events.delivery_shown` adds the same ones to the stored ones. */
function headersOf(item: Leased<QueuedDelivery>, stored: Headers): Headers {
  const { attempts, eventId, eventType, eventVersion } = item
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'crm-webhooks/1',
    ...stored,
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

const bodyKeyOf = ({ organizationId, id }: Reference): string => `${organizationId}:${id}`

/** Attempts of the same lease begin together, so their reads are combined. */
interface Loaders {
  readonly webhooks: DataLoader<string, (id: string) => ReadWebhook | null>
  /** Null if it is no longer stored. */
  readonly bodies: DataLoader<Reference, StoredBody | null>
  readonly owners: DataLoader<Reference, ActingUser | null>
}

/** By the database: each attempt has services of its own. */
const loaders = new WeakMap<Services['database'], Loaders>()

function loadersOf(services: Services): Loaders {
  let found = loaders.get(services.database)
  if (!found) loaders.set(services.database, (found = newLoaders(services)))
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
    bodies: new DataLoader((wanted) => storedBodies(services.database, wanted), { cache: false }),
    owners: new DataLoader(
      (wanted) => {
        const reads = new Map<string, Promise<ActingUser | null>>()
        for (const each of wanted)
          if (!reads.has(bodyKeyOf(each)))
            reads.set(bodyKeyOf(each), findActingUser(services.database, each.organizationId, each.id))
        return Promise.all(wanted.map((each) => reads.get(bodyKeyOf(each))!))
      },
      { cache: false },
    ),
  }
}
