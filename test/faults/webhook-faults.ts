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

/** `npm run test:faults` runs many more rounds. */
export const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1)
export const slowMs = 180_000 + rounds * 60_000
export const patience = { timeout: 100_000, interval: 20 }

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

/** Without `databaseUrl`, the database is the embedded one in the data folder. */
export async function prepared(
  databaseUrl: string | null,
  more: Readonly<Record<string, string>> = {},
): Promise<Prepared> {
  const environment = {
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    DATA_DIR: await aFolder(),
    DEMO: 'off',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
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

export interface Arrival {
  readonly eventId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
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
  /** The requests that are not answered yet. */
  readonly inFlight = new Map<ServerResponse, Arrival>()
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
    const arrival = { eventId, attempt: Number(request.headers['x-service-attempt']), at: Date.now() }
    this.arrivals.push(arrival)
    this.inFlight.set(response, arrival)
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
