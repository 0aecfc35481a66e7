import { depthHeader } from '../../kernel/automation/depth.ts'
import { Refusal } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '../../kernel/outbound/outbound.ts'
import type { CredentialWanted, NamedCredentials } from '../../kernel/outbound/named-credentials.ts'
import { secretMask } from '../../kernel/sandbox/mask-secrets.ts'
import type { FetchAnswer } from '../../kernel/sandbox/sandbox.ts'
import { whyNotAllowed } from './allowed-host.ts'

export const fetchBytesMax = 1_048_576
const redirectsMax = 3
const headersMax = 50
const urlMax = 8_192
const headerCharactersMax = 16_384

/** Names that the connection decides on. With another host, a server of several hosts would answer for one that is not allowed. */
const ofConnection = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  depthHeader,
])
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const fieldValue = /^[\t -~\u0080-\u00ff]*$/
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]
/** Headers that are for the first origin only. */
const ofOrigin = ['authorization', 'cookie', 'proxy-authorization', 'x-api-key']

export interface FetchRights {
  readonly allowedHosts: readonly string[]
  /** The depth of what the request may start in turn. */
  readonly depth: number
}

/** Sends one request; `Outbound` checks the addresses of the host when it connects. */
export type Send = (request: OutboundRequest) => Promise<OutboundAnswer>

const refused = (message: string): Refusal => new Refusal('VALIDATION_FAILED', message)

interface Wanted {
  readonly method: Method
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

function wantedOf(init: unknown): Wanted {
  if (init != null && !isJsonObject(init)) throw refused('The second argument of fetch must be an object.')
  const { method = 'GET', headers = {}, body = null } = (init ?? {}) as Record<string, unknown>
  const upper = typeof method === 'string' ? method.toUpperCase() : ''
  const known = methods.find((one) => one === upper)
  if (!known) throw refused(`The method of fetch must be one of ${methods.join(', ')}.`)
  if (body !== null && typeof body !== 'string') throw refused('The body of fetch must be text.')
  if (body !== null && known === 'GET') throw refused('A GET request must not have a body.')
  if (body !== null && Buffer.byteLength(body) > fetchBytesMax)
    throw refused(`The body of fetch must have at most ${fetchBytesMax} bytes.`)
  return { method: known, headers: headersOf(headers), body }
}

function headersOf(given: unknown): Record<string, string> {
  if (!isJsonObject(given)) throw refused('The headers of fetch must be an object of names and texts.')
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  if (entries.length > headersMax || entries.flat().join('').length > headerCharactersMax)
    throw refused(`fetch must have at most ${headersMax} headers with ${headerCharactersMax} characters together.`)
  for (const [name, value] of entries) {
    if (!token.test(name) || !fieldValue.test(value))
      throw refused(`fetch must not have the header ${name.slice(0, 100)}.`)
    if (name.startsWith('proxy-') || ofConnection.has(name))
      throw refused(`fetch must not set the header ${name}, because the connection decides on it.`)
  }
  return Object.fromEntries(entries)
}

function allowedUrl(text: unknown, base: string | undefined, { allowedHosts }: FetchRights): URL {
  const url = typeof text === 'string' && text.length <= urlMax ? URL.parse(text, base) : null
  if (!url) throw refused('fetch needs an absolute URL.')
  const reason = whyNotAllowed(url, allowedHosts)
  if (reason !== null) throw refused(reason)
  url.hash = ''
  return url
}

/** What follows a redirect: as browsers do it, POST becomes GET unless the status forbids it. */
function redirectedRequest({ method, headers, body }: Wanted, status: number, isSameOrigin: boolean): Wanted {
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  const dropped = new Set([...(isSameOrigin ? [] : ofOrigin), ...(becomesGet ? ['content-type'] : [])])
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
  return becomesGet ? { method: 'GET', headers: kept, body: null } : { method, headers: kept, body }
}

/**
 * The `fetch` of a function: to allowed hosts only, also after redirects, of which it follows three. Every request carries the depth, so that a
 * function that calls this API by whatever name of its host cannot start itself without end.
 */
export async function fetchFor(
  send: Send,
  rights: FetchRights,
  [target, init]: readonly unknown[],
  timeoutMs: () => number,
): Promise<FetchAnswer> {
  let wanted = wantedOf(init)
  let url = allowedUrl(target, undefined, rights)
  for (let redirects = 0; ; redirects++) {
    const { method, headers, body } = wanted
    const answer = await sent(send, {
      method,
      url: url.href,
      headers: { ...headers, [depthHeader]: String(rights.depth) },
      ...(body !== null && { body }),
      timeoutMs: timeoutMs(),
      answerBytesMax: fetchBytesMax,
    })
    const { location } = answer.headers
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && typeof location === 'string'
    if (!isRedirect) return { url: url.href, ...shown(answer) }
    if (redirects === redirectsMax) throw refused(`fetch follows at most ${redirectsMax} redirects.`)
    const next = allowedUrl(location, url.href, rights)
    wanted = redirectedRequest(wanted, answer.status, next.origin === url.origin)
    url = next
  }
}

/**
 * The `context.credentials.fetch` of a function: a path below the base URL of a named credential. Its answer does not show the secret, also where the receiver
 * repeats it. Redirects are returned, because the credential is for the first address only.
 */
export async function credentialFetchFor(
  credentials: Pick<NamedCredentials, 'send'>,
  { organizationId, managedBy }: Pick<CredentialWanted, 'organizationId' | 'managedBy'>,
  depth: number,
  [apiName, path, init]: readonly unknown[],
  timeoutMs: () => number,
): Promise<FetchAnswer> {
  if (typeof apiName !== 'string') throw refused('context.credentials.fetch needs the apiName of a named credential.')
  if (typeof path !== 'string' || !path.startsWith('/') || path.length > urlMax)
    throw refused('The path of context.credentials.fetch must be text that begins with /.')
  const { method, headers, body } = wantedOf(init)
  const send = async (request: OutboundRequest) => credentials.send({ organizationId, apiName, managedBy }, request)
  const { url, authentication, ...answer } = await sent(send, {
    method,
    url: path,
    headers: { ...headers, [depthHeader]: String(depth) },
    ...(body !== null && { body }),
    timeoutMs: timeoutMs(),
    answerBytesMax: fetchBytesMax,
  })
  const mask = secretMask(authentication?.secrets ?? {})
  const { status, headers: answered, body: text } = shown(answer)
  const masked = Object.fromEntries(Object.entries(answered).map(([name, value]) => [name, mask(value)]))
  return { url: mask(url), status, headers: masked, body: mask(text) }
}

const shown = ({ status, headers, body }: OutboundAnswer): Omit<FetchAnswer, 'url'> => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  ),
  body: body.toString('utf8'),
})

async function sent<Answer extends OutboundAnswer>(
  send: (request: OutboundRequest) => Promise<Answer>,
  request: OutboundRequest,
): Promise<Answer> {
  try {
    return await send(request)
  } catch (error) {
    if (error instanceof OutboundError) throw new Refusal('UNAVAILABLE', `fetch failed: ${error.message}`)
    throw error
  }
}
