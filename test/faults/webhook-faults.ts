import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { migrations } from '../../subgraphs/all.ts'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { openServices } from '../../subgraphs/kernel/services.ts'

/** An organization with an API key of its owner, in a database that no process of the platform uses yet. */
export interface Prepared {
  readonly environment: Readonly<Record<string, string>>
  readonly organizationId: string
  readonly secret: string
}

export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-webhook-faults-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return folder
}

export async function prepared(databaseUrl: string, more: Readonly<Record<string, string>> = {}): Promise<Prepared> {
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: await aFolder(),
    DEMO: 'off',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'error',
    OUTBOUND_ALLOW: '127.0.0.1',
    ...more,
  }
  const services = await openServices({ config: readConfig(environment), migrations, log: pino({ level: 'silent' }) })
  const { id: organizationId } = await createOrganization(services, { name: 'Acme' })
  const user = { email: `u${newId()}@example.com`, name: 'Ann Lee', role: 'OWNER', visibility: 'ALL' } as const
  const { id: ownerId } = await createUser(services, organizationId, user)
  const rateLimit = { limit: 1_000_000, window: 'MINUTE' } as const
  const { secret } = await createApiKey(services, organizationId, { ownerId, name: 'test', scopes: ['*'], rateLimit })
  await services.close()
  return { environment, organizationId, secret }
}

interface Body {
  readonly id: string
  readonly data: { readonly id: string; readonly selection: { readonly sku: string } | null }
}

interface Arrival {
  readonly eventId: string
  readonly at: number
}

/** A receiver that keeps what arrives. It fails one request in ten, and answers the others after a moment. */
export class CountingReceiver {
  /** Ids of the events that arrived, by the record that they announce. */
  readonly eventsOf = new Map<string, Set<string>>()
  /** Records whose event was answered with 204. */
  readonly acknowledged = new Set<string>()
  readonly arrivals: Arrival[] = []
  /** Ids of the events that arrived without what the webhook selects. */
  readonly withoutSelection: string[] = []
  /** Event ids of the requests that are not answered yet. */
  readonly inFlight = new Map<ServerResponse, string>()
  #isHolding = false
  #held: (() => void)[] = []

  private constructor(readonly url: string) {}

  static async open(): Promise<CountingReceiver> {
    const server = createServer((request, response) => void receiver.#receive(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const receiver = new CountingReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return receiver
  }

  /** While it holds, requests arrive and are not answered. */
  hold(): void {
    this.#isHolding = true
  }

  release(): void {
    this.#isHolding = false
    for (const answer of this.#held.splice(0)) answer()
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      // The sender was killed before its request was complete.
      return
    }
    const { id: eventId, data } = JSON.parse(Buffer.concat(chunks).toString()) as Body
    this.eventsOf.set(data.id, (this.eventsOf.get(data.id) ?? new Set()).add(eventId))
    if (!data.selection?.sku) this.withoutSelection.push(eventId)
    this.arrivals.push({ eventId, at: Date.now() })
    this.inFlight.set(response, eventId)
    response.once('close', () => this.inFlight.delete(response))
    const answer = (): void => {
      if (response.destroyed) return
      const isRefused = this.arrivals.length % 10 === 0
      response.writeHead(isRefused ? 500 : 204).end()
      if (!isRefused) this.acknowledged.add(data.id)
    }
    if (this.#isHolding) this.#held.push(answer)
    else setTimeout(answer, this.arrivals.length % 20)
  }
}

const headersOf = (secret: string) => ({ 'x-api-key': secret, 'content-type': 'application/json' })

/** Subscribes the receiver to new products. */
export async function subscribe(api: string, secret: string, receiver: CountingReceiver): Promise<string> {
  const input = {
    name: 'Faults',
    url: receiver.url,
    events: ['product.created'],
    selection: 'fragment Webhook on Product { sku }',
    retryAttempts: 10,
    retryDelaySeconds: 1,
  }
  const body = JSON.stringify(input)
  const answer = await fetch(`${api}/v1/webhooks`, { method: 'POST', headers: headersOf(secret), body })
  if (answer.status !== 201) throw new Error(`The webhook was refused: ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

/** Writers that create products all the time. One in five has a used SKU, so that its transaction is rolled back. */
export class Load {
  /** `201`, `409`, `503 Retry-After 1`, or `no answer`, with their numbers. */
  readonly outcomes = new Map<string, number>()
  readonly created: string[] = []
  private isRunning = true
  readonly #writers: Promise<void>[]

  constructor(
    private readonly api: string,
    private readonly secret: string,
    writers = 6,
  ) {
    this.#writers = Array.from({ length: writers }, () => this.#write())
  }

  async stop(): Promise<void> {
    this.isRunning = false
    await Promise.all(this.#writers)
  }

  async #write(): Promise<void> {
    for (let round = 0; this.isRunning; round++) {
      const sku = round % 5 === 4 ? 'USED' : newId()
      const outcome = await this.#create(sku)
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
      // A client waits before it repeats a request that was not answered; the others are bounded so that the queue stays short.
      await new Promise((resolve) => setTimeout(resolve, outcome === '201' ? 20 : 100))
    }
  }

  async #create(sku: string): Promise<string> {
    const body = JSON.stringify({ name: 'Crate', sku, listPrice: 5 })
    try {
      const answer = await fetch(`${this.api}/v1/products`, { method: 'POST', headers: headersOf(this.secret), body })
      if (answer.status === 201) this.created.push(((await answer.json()) as { id: string }).id)
      else await answer.arrayBuffer()
      return answer.status === 503 ? `503 Retry-After ${answer.headers.get('retry-after')}` : String(answer.status)
    } catch {
      return 'no answer'
    }
  }
}
