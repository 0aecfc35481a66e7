import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import type { Environment } from '../environment.ts'
import { frames, StreamLost } from '../event-stream.ts'
import { Failure, usageFailure } from '../failure.ts'
import { interruption } from '../interruption.ts'
import { pause } from '../pause.ts'
import { plainLine, plural } from '../plain.ts'
import { readPrivate, writePrivate } from '../private-file.ts'
import { signatureHeaders } from '../signature.ts'

interface Options {
  readonly events?: readonly string[]
  readonly forwardTo?: string
  readonly count?: number
}

interface Envelope {
  readonly id: string
  readonly type: string
  readonly version: number
  readonly occurredAt: string
  readonly data: { readonly id?: string }
}

interface Forwarded {
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

interface Target {
  readonly url: URL
  readonly secret: string
}

const answerMsMax = 10_000
const retryMsMax = 30_000
/** For how long a lost connection is tried again. */
const awayMsMax = 300_000

const secretFile = ({ configFolder }: Environment): string => join(configFolder, 'webhook-secret')

/** The secret of the environment, or one that is made once and kept. */
async function signingSecret(environment: Environment): Promise<string> {
  if (environment.webhookSecret !== null) return environment.webhookSecret
  const path = secretFile(environment)
  const stored = (await readPrivate(path))?.trim()
  if (stored) return stored
  const made = `whsec_${randomBytes(32).toString('base64')}`
  await writePrivate(path, `${made}\n`)
  return made
}

async function targetOf({ environment, screen }: Context, given: string): Promise<Target> {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw usageFailure('--forward-to must be a URL such as http://127.0.0.1:3000/webhooks')
  const target = { url: new URL(given), secret: await signingSecret(environment) }
  const from = environment.webhookSecret === null ? `the secret in ${secretFile(environment)}` : 'CRM_WEBHOOK_SECRET'
  screen.note(`Events are forwarded to ${target.url.origin}${target.url.pathname}, signed with ${from}.`)
  return target
}

/** Sends an event as a webhook does. Whatever the receiver answers, the stream goes on. */
async function forwarded({ url, secret }: Target, { id, type, version }: Envelope, body: string): Promise<Forwarded> {
  const startedAt = Date.now()
  const outcome = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMsMax),
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'crm-webhooks/1',
      ...signatureHeaders(secret, id, body, new Date()),
      'X-Service-Event': type,
      'X-Service-Event-Id': id,
      'X-Service-Event-Version': String(version),
      'X-Service-Attempt': '1',
    },
  }).then(
    async (response) => {
      await response.body?.cancel()
      return { status: response.status, error: null }
    },
    ({ name, message, cause }: Error & { cause?: { code?: string } }) => ({
      status: null,
      error: name === 'TimeoutError' ? 'no answer within 10 s' : (cause?.code ?? message),
    }),
  )
  return { ...outcome, durationMs: Date.now() - startedAt }
}

/** Shows the events of the organization as they happen, and forwards them to a URL. */
export async function listen(context: Context, { events, forwardTo, count = Infinity }: Options): Promise<void> {
  const api = await apiOf(context)
  const target = forwardTo === undefined ? null : await targetOf(context, forwardTo)
  const signal = interruption()
  try {
    await follow(context, api, { events: events ?? null, target, count, signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

interface Followed {
  readonly events: readonly string[] | null
  readonly target: Target | null
  readonly count: number
  readonly signal: AbortSignal
}

/** Opens the stream again and again: a server ends it after 15 minutes, and when it is stopped. */
async function follow(context: Context, api: Api, { events, target, count, signal }: Followed): Promise<void> {
  const { screen } = context
  let left = count
  let isFirst = true
  let awaySince: number | null = null
  for (let waitMs = 1_000; left > 0;) {
    try {
      for await (const { kind, data } of frames(api, events, signal)) {
        if (kind === 'ready') {
          screen.note(
            isFirst ? `Listening to ${events?.join(', ') ?? 'all events'} of ${api.url}.` : 'Listening again.',
          )
          ;[isFirst, awaySince, waitMs] = [false, null, 1_000]
        } else if (kind === 'dropped') {
          screen.note(
            `${plural((JSON.parse(data) as { count: number }).count, 'event')} left out: reading is too slow.`,
          )
        } else if (kind === 'event') {
          await take(context, data, target)
          if (--left === 0) return
        } else if (kind === 'end') {
          requireMore(JSON.parse(data) as EndFrame)
          break
        }
      }
    } catch (error) {
      const isLost = error instanceof StreamLost || (error instanceof Failure && error.outcome === 'unreachable')
      awaySince ??= Date.now()
      if (!isLost || isFirst || signal.aborted || Date.now() - awaySince > awayMsMax) throw failureOf(error, api)
      screen.note(`The connection was lost; trying again in ${waitMs / 1_000} s.`)
      await pause(waitMs, signal)
      waitMs = Math.min(2 * waitMs, retryMsMax)
    }
  }
}

const failureOf = (error: unknown, { url }: Api): unknown =>
  error instanceof StreamLost ? new Failure('unreachable', 'STREAM_LOST', `${url}: ${error.message}`) : error

interface EndFrame {
  readonly reason: string
  readonly message: string
  readonly code?: string
}

function requireMore({ reason, message, code }: EndFrame): void {
  if (reason === 'CREDENTIAL_ENDED') throw new Failure('credential', code ?? reason, message)
}

async function take({ screen }: Context, data: string, target: Target | null): Promise<void> {
  const event = JSON.parse(data) as Envelope
  const outcome = target && (await forwarded(target, event, data))
  screen.item({ event, ...(outcome && { forwarded: outcome }) }, () => {
    const { occurredAt, type, id } = event
    const text = [occurredAt, type, id].map(plainLine).join('  ')
    if (!outcome) return text
    const { status, error, durationMs } = outcome
    const isTaken = status !== null && status >= 200 && status < 300
    return `${text}  ${screen.styled(isTaken ? 'green' : 'red', plainLine(String(status ?? error)))}  ${durationMs} ms`
  })
}

/** Sends the sample of an event type to the live streams. */
export async function trigger(context: Context, type: string): Promise<void> {
  const api = await apiOf(context)
  const sent = await api.post<{ id: string; type: string; streams: number }>('/v1/webhooks/listen/trigger', { type })
  context.screen.result(sent, () => [
    `${sent.type} ${sent.id} was sent. ${plural(sent.streams, 'live stream')} open in the organization.`,
  ])
}
