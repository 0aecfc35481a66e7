import { randomUUID } from 'node:crypto'
import type { Credential } from './credentials.ts'
import { Failure, type FieldProblem, type Outcome } from './failure.ts'
import { pause } from './pause.ts'

/** The error body of the API (RFC 9457). */
interface Problem {
  readonly code?: unknown
  readonly detail?: unknown
  readonly errors?: unknown
  readonly requestId?: unknown
}

export interface GraphError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly extensions?: { readonly code?: unknown; readonly errors?: unknown }
}

export interface GraphAnswer {
  readonly data?: unknown
  readonly errors?: readonly GraphError[]
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Sent as JSON, unless it is bytes. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** How long the answer may take; null for a stream. */
  readonly timeoutMs?: number | null
  /** Whether a refusal that says when to come again is waited for. */
  readonly isPatient?: boolean
}

const attemptsMax = 5
const waitMsMax = 60_000

/** 403 with other codes refuses what was asked for, whatever the credential. */
const credentialCodes = new Set([
  'PERMISSION_DENIED',
  'EMAIL_NOT_VERIFIED',
  'API_KEY_SCOPE_BLOCKED',
  'API_KEY_SCOPE_INSUFFICIENT',
  'API_KEY_IP_NOT_ALLOWED',
])

/** Codes of 500 and above, which errors of GraphQL have in an answer with 200. */
const failureCodes = new Set(['INTERNAL', 'MODEL_FAILED', 'UNAVAILABLE', 'HOOK_UNAVAILABLE'])

/** Which kind of end an error of the API is. */
export function outcomeOf(status: number, code: string): Exclude<Outcome, 'done'> {
  if (status === 401 || credentialCodes.has(code)) return 'credential'
  return status >= 500 || failureCodes.has(code) ? 'unreachable' : 'refused'
}

const isFieldProblem = (one: unknown): one is FieldProblem =>
  typeof (one as FieldProblem | null)?.message === 'string' && typeof (one as FieldProblem).path === 'string'

/** What the errors of a GraphQL operation say, each at its field or its place in the document. */
export function graphFailure(errors: readonly GraphError[], status = 200): Failure {
  const codeOf = ({ extensions }: GraphError): string =>
    typeof extensions?.code === 'string' ? extensions.code : 'GRAPHQL_ERROR'
  const details = errors.flatMap((error): FieldProblem[] => {
    const { message, path, locations, extensions } = error
    if (Array.isArray(extensions?.errors)) return extensions.errors.filter(isFieldProblem)
    const [place] = locations ?? []
    const at = path?.join('.') ?? (place ? `line ${place.line}, column ${place.column}` : '')
    return [{ path: at, code: codeOf(error), message }]
  })
  const [first] = errors
  const code = first ? codeOf(first) : 'GRAPHQL_ERROR'
  return new Failure(outcomeOf(status, code), code, first?.message ?? `HTTP ${status}`, { errors: details })
}

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> =>
  body ?? new ReadableStream({ start: (controller) => controller.close() })

/** The public API of one server, with one key. */
export class Api {
  readonly url: string
  readonly #apiKey: string
  readonly #userAgent: string

  constructor({ url, apiKey }: Credential, version: string) {
    this.url = url
    this.#apiKey = apiKey
    this.#userAgent = `crm-cli/${version}`
  }

  get<T>(path: string, query: Call['query'] = {}): Promise<T> {
    return this.#json<T>({ method: 'GET', path, query })
  }

  /** Sent again with the same key, it changes nothing the second time. */
  post<T>(path: string, body: unknown, key: string = randomUUID()): Promise<T> {
    return this.#json<T>({ method: 'POST', path, body, headers: { 'Idempotency-Key': key } })
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>({ method: 'PATCH', path, body, headers: { 'Idempotency-Key': randomUUID() } })
  }

  put<T>(path: string, body: Uint8Array, headers: Readonly<Record<string, string>>, query: Call['query']): Promise<T> {
    return this.#json<T>({ method: 'PUT', path, body, headers, query: query ?? {}, timeoutMs: null })
  }

  /** Executes a GraphQL operation, which may have data and errors at once. */
  graphql(document: string, variables: object): Promise<GraphAnswer> {
    const headers = { 'Idempotency-Key': randomUUID(), Accept: 'application/json' }
    return this.#json({ method: 'POST', path: '/v1/graphql', body: { query: document, variables }, headers })
  }

  /** A body that is read while it arrives. */
  async stream(path: string, call: Partial<Call> = {}): Promise<ReadableStream<Uint8Array>> {
    return bodyOf(await this.#answer({ method: 'GET', path, timeoutMs: null, ...call }))
  }

  /** The bytes of a file from a place on, while they arrive. */
  async *bytes(path: string, from = 0): AsyncGenerator<Uint8Array> {
    const headers: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {}
    const response = await this.#answer({ method: 'GET', path, headers, timeoutMs: null, isPatient: true })
    const reader = bodyOf(response).getReader()
    // A server may send the whole file.
    let skipped = response.status === 206 ? 0 : from
    try {
      for (;;) {
        const { done, value } = await this.#reached(() => reader.read())
        if (done) return
        const bytes = value.subarray(skipped)
        skipped -= value.length - bytes.length
        if (bytes.length > 0) yield bytes
      }
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }

  async #json<T>(call: Call): Promise<T> {
    const response = await this.#answer({ isPatient: true, ...call })
    const text = await this.#reached(() => response.text())
    try {
      return JSON.parse(text) as T
    } catch {
      throw this.#foreign(response.status)
    }
  }

  /** An answer with 2xx. 429 and 503 are retried when they say; the same Idempotency-Key keeps a change from being made twice. */
  async #answer(call: Call): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#reached(() => this.#sent(call))
      if (response.ok) return response
      const waitMs = 1_000 * Number(response.headers.get('retry-after') ?? Number.NaN)
      const isRetried = call.isPatient && attempt < attemptsMax && waitMs <= waitMsMax
      if (!isRetried || (response.status !== 429 && response.status !== 503)) throw await this.#refusal(response)
      await response.body?.cancel()
      await pause(waitMs, call.signal)
    }
  }

  #sent({ method, path, query = {}, body, headers = {}, signal, timeoutMs = 120_000 }: Call): Promise<Response> {
    const url = new URL(this.url + path)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const signals = [...(signal ? [signal] : []), ...(timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)])]
    const isBytes = body instanceof Uint8Array
    return fetch(url, {
      method,
      headers: {
        'X-API-Key': this.#apiKey,
        'User-Agent': this.#userAgent,
        ...(body !== undefined && !isBytes && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      // The key is not sent to where a redirect leads.
      redirect: 'manual',
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    })
  }

  async #reached<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if ((error as Error).name === 'AbortError') throw error
      throw new Failure('unreachable', 'UNREACHABLE', `${this.url} cannot be reached: ${reasonOf(error)}.`)
    }
  }

  async #refusal(response: Response): Promise<Failure> {
    const { status, headers } = response
    const text = await this.#reached(() => response.text())
    if (status >= 300 && status < 400) {
      const message = `${this.url} redirects to ${headers.get('location') ?? 'another address'}. Use that address.`
      return new Failure('usage', 'REDIRECTED', message)
    }
    let problem: Problem | null
    try {
      problem = JSON.parse(text) as Problem | null
    } catch {
      problem = null
    }
    if (Array.isArray(problem?.errors) && typeof problem.code !== 'string')
      return graphFailure(problem.errors as GraphError[], status)
    if (typeof problem?.code !== 'string') return this.#foreign(status)
    const { code, detail, requestId } = problem
    const errors = Array.isArray(problem.errors) ? problem.errors.filter(isFieldProblem) : []
    return new Failure(outcomeOf(status, code), code, typeof detail === 'string' ? detail : `HTTP ${status}`, {
      errors,
      requestId: status >= 500 && typeof requestId === 'string' ? requestId : null,
    })
  }

  /** An answer that is not one of the platform. */
  #foreign(status: number): Failure {
    const message = `${this.url} answered ${status}, and not as the platform does. Is it the address of the platform?`
    return new Failure(status >= 500 ? 'unreachable' : 'refused', 'FOREIGN_ANSWER', message)
  }
}

/** The code or the text of what has failed in the network. */
function reasonOf(error: unknown): string {
  const { name, cause, message } = error as Error & { cause?: Error & { code?: string } }
  if (name === 'TimeoutError') return 'it has not answered in time'
  return cause?.code ?? cause?.message ?? message
}
