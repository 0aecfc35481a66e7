import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const webhookSecret = 'whsec_scripted_0123456789'

/** A provider of hosted checkouts that says what the test wants. */
export class ScriptedProvider {
  readonly requests: {
    readonly url: string
    readonly body: URLSearchParams
    readonly authorization: string
    readonly key: string | null
  }[] = []
  readonly #idOfKey = new Map<string, string>()
  readonly sessions = new Map<string, object>()
  answer: 'USUAL' | 'FAIL' | 'REFUSE' = 'USUAL'
  server!: Server
  url!: string

  /** Configures a platform with this provider. */
  get environment() {
    return {
      PAYMENT_URL: this.url,
      PAYMENT_KEY: 'sk_scripted',
      PAYMENT_WEBHOOK_SECRET: webhookSecret,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    }
  }

  async open(): Promise<void> {
    this.server = createServer(
      (req, res) => void this.#answered(req).then(([status, body]) => res.writeHead(status).end(body)),
    )
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async #answered(req: IncomingMessage): Promise<[number, string]> {
    const body = new URLSearchParams(await text(req))
    const key = (req.headers['idempotency-key'] as string | undefined) ?? null
    this.requests.push({ url: req.url!, body, authorization: req.headers.authorization ?? '', key })
    if (this.answer === 'FAIL') return [500, 'no JSON']
    if (this.answer === 'REFUSE') return [400, '{"error":{"code":"amount_too_small"}}']
    if (req.method === 'GET') return [200, JSON.stringify(this.sessions.get(req.url!.split('/').at(-1)!) ?? {})]
    const id = this.#idOfKey.get(key!) ?? `cs_test_${this.sessions.size + 1}`
    const answer: [number, string] = [200, JSON.stringify({ id, url: `https://pay.example/c/${id}` })]
    if (this.#idOfKey.has(key!)) return answer
    this.#idOfKey.set(key!, id)
    const price = 'line_items[0][price_data]'
    this.sessions.set(id, {
      id,
      status: 'open',
      payment_status: 'unpaid',
      amount_total: Number(body.get(`${price}[unit_amount]`)),
      currency: body.get(`${price}[currency]`),
      payment_intent: `pi_${id}`,
    })
    return answer
  }

  set(id: string, values: object): void {
    this.sessions.set(id, { ...this.sessions.get(id), ...values })
  }

  pay(id: string): void {
    this.set(id, { status: 'complete', payment_status: 'paid' })
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}

export interface EventOptions {
  readonly at?: number
  readonly key?: string
  readonly type?: string
}

/** The webhook request of the provider about a checkout of the invoice with this public address. */
export function paymentEvent(
  platformUrl: string,
  id: string,
  link: string,
  { at = Date.now(), key = webhookSecret, type = 'checkout.session.completed' }: EventOptions = {},
): Promise<Response> {
  const body = JSON.stringify({ type, data: { object: { id, client_reference_id: link.split('/').at(-1) } } })
  const time = Math.floor(at / 1000)
  const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  return fetch(`${platformUrl}/v1/public/payment-events`, {
    method: 'POST',
    headers: { 'Stripe-Signature': `t=${time},v1=${signature}` },
    body,
  })
}
