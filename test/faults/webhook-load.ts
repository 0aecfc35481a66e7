import { setTimeout as delay } from 'node:timers/promises'
import { onTestFailed, onTestFinished } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { CountingReceiver } from './webhook-faults.ts'

const headersOf = (secret: string) => ({ 'x-api-key': secret, 'content-type': 'application/json' })

/**
 * Deliveries of a killed process count as running until their leases end, and one webhook may have 64 running ones. With several
 * webhooks, a process can be killed every few seconds.
 */
const webhooks = 8

/** Subscribes the receiver to new products, with several webhooks. Each product matches one of them. */
export async function subscribe(api: string, secret: string, receiver: CountingReceiver): Promise<void> {
  for (let number = 1; number <= webhooks; number++) {
    const input = {
      name: `Faults ${number}`,
      url: receiver.url,
      events: ['product.created'],
      conditions: [{ field: 'listPrice', operator: 'EQUALS', value: number }],
      selection: 'fragment Webhook on Product { sku }',
      retryAttempts: 10,
      retryDelaySeconds: 1,
    }
    const body = JSON.stringify(input)
    const answer = await fetch(`${api}/v1/webhooks`, { method: 'POST', headers: headersOf(secret), body })
    if (answer.status !== 201) throw new Error(`The webhook was refused: ${await answer.text()}`)
  }
}

/** The writers wait while more events than these are not delivered, so that kills do not make the queue longer and longer. */
const undeliveredMax = 500

interface Answer {
  /** `201`, `409`, `503 Retry-After 1`, or `no answer`. */
  readonly outcome: string
  readonly id: string
}

/**
 * Writers that create products all the time. One request in five repeats a SKU, so that its transaction is rolled back. A writer whose
 * request was neither executed nor refused looks up whether its record exists.
 */
export class Load {
  /** The outcomes of all requests, with their numbers. */
  readonly outcomes = new Map<string, number>()
  /** Records whose creation was answered. */
  readonly created: string[] = []
  /** Records whose creation was not answered, although it was committed. */
  readonly found: string[] = []
  /** The number of creations that were not answered and not committed. */
  lost = 0
  private isRunning = true
  private isOver = false
  readonly #writers: Promise<void>[]

  constructor(
    private readonly api: string,
    private readonly secret: string,
    private readonly receiver: CountingReceiver,
    writers = 10,
  ) {
    this.#writers = Array.from({ length: writers }, (_, number) => this.#write(number))
    onTestFinished(() => {
      this.isRunning = false
      this.isOver = true
    })
    onTestFailed(() => console.log('outcomes of requests:', this.outcomes))
  }

  /** Resolves when the last requests are answered, and those without an answer are looked up. */
  async stop(): Promise<void> {
    this.isRunning = false
    await Promise.all(this.#writers)
  }

  async #write(number: number): Promise<void> {
    let used: string | null = null
    for (let round = number; this.isRunning; round++) {
      const isRepeated = used !== null && round % 5 === 4
      const sku: string = isRepeated ? used! : newId()
      const body = JSON.stringify({ name: 'Crate', sku, listPrice: (round % webhooks) + 1 })
      const { outcome, id } = await this.#send('products', { method: 'POST', body })
      if (outcome === '201') this.created.push(id)
      else if (outcome !== '409' && !isRepeated) await this.#lookUp(sku)
      if (outcome === '201') used = sku
      do await delay(50)
      while (this.isRunning && this.#undelivered() > undeliveredMax)
    }
  }

  #undelivered(): number {
    return this.created.length + this.found.length - this.receiver.acknowledged.size
  }

  async #lookUp(sku: string): Promise<void> {
    while (!this.isOver) {
      // A client waits before it repeats a request that was not answered.
      await delay(250)
      const { outcome, id } = await this.#send(`products/sku/${sku}`)
      if (outcome === '404') this.lost += 1
      if (outcome === '200') this.found.push(id)
      if (outcome === '404' || outcome === '200') return
    }
  }

  async #send(path: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await this.#answerTo(path, init)
    this.outcomes.set(answer.outcome, (this.outcomes.get(answer.outcome) ?? 0) + 1)
    return answer
  }

  async #answerTo(path: string, init: RequestInit): Promise<Answer> {
    try {
      const answer = await fetch(`${this.api}/v1/${path}`, { headers: headersOf(this.secret), ...init })
      const { id } = (await answer.json()) as { id: string }
      const retryAfter = answer.status === 503 ? ` Retry-After ${answer.headers.get('retry-after')}` : ''
      return { outcome: `${answer.status}${retryAfter}`, id }
    } catch {
      return { outcome: 'no answer', id: '' }
    }
  }
}
