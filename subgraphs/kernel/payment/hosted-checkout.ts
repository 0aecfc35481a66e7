import { createHash } from 'node:crypto'
import { Refusal } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { Outbound, OutboundAnswer } from '../outbound/outbound.ts'
import type { Checkout, CheckoutRequest, CheckoutState, PaymentProvider, PaymentSettings } from './payment.ts'
import { refusalInSituation } from '../record/transitions.ts'
import { readUnits, sentUnits } from './provider-currency.ts'

const timeoutMs = 10_000
const answerBytesMax = 200_000

const failed = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The payment provider did not answer as expected; retry in 5 s.', { retryAfter: 5 })

function objectIn({ status, body }: OutboundAnswer): Record<string, unknown> {
  if (status < 200 || status > 299) throw failed()
  try {
    const parsed: unknown = JSON.parse(body.toString())
    if (isJsonObject(parsed)) return parsed
  } catch {
    // No JSON: refused below.
  }
  throw failed()
}

export const isCheckoutId = (id: string): boolean => /^[\w-]{1,255}$/.test(id)

const isWebAddress = (url: unknown): url is string =>
  typeof url === 'string' && URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)

/** Hosted checkout with the API of Stripe: `POST /v1/checkout/sessions` and `GET /v1/checkout/sessions/{id}`. */
export class HostedCheckout implements PaymentProvider {
  constructor(
    private readonly settings: PaymentSettings,
    private readonly outbound: Outbound,
  ) {}

  async open(request: CheckoutRequest): Promise<Checkout> {
    const { amount, currency, title, reference, key, successUrl, cancelUrl } = request
    const units = sentUnits(amount, currency)
    if (units === null) throw refusalInSituation(`An invoice in ${currency} cannot be paid online.`)
    const price = 'line_items[0][price_data]'
    const body = new URLSearchParams({
      mode: 'payment',
      client_reference_id: reference,
      success_url: successUrl,
      cancel_url: cancelUrl,
      'line_items[0][quantity]': '1',
      [`${price}[currency]`]: currency.toLowerCase(),
      [`${price}[unit_amount]`]: units,
      [`${price}[product_data][name]`]: title,
    }).toString()
    // The provider refuses a key that comes again with another body, for example after a change of the public address.
    const idempotencyKey = `${key}-${createHash('sha256').update(body).digest('hex').slice(0, 32)}`
    const answer = await this.#send('POST', '/v1/checkout/sessions', { body, idempotencyKey })
    if (answer.status === 400)
      throw refusalInSituation('The payment provider does not take this amount or this currency.')
    const { id, url } = objectIn(answer)
    if (typeof id !== 'string' || !isCheckoutId(id) || !isWebAddress(url)) throw failed()
    return { id, url }
  }

  async stateOf(id: string): Promise<CheckoutState> {
    const session = objectIn(await this.#send('GET', `/v1/checkout/sessions/${encodeURIComponent(id)}`))
    const { payment_status: paymentStatus, status, amount_total: units, currency, payment_intent: intent } = session
    if (session['id'] !== id || typeof currency !== 'string' || !Number.isSafeInteger(units)) throw failed()
    const code = currency.toUpperCase()
    const amount = readUnits(units as number, code)
    if (amount === null) throw failed()
    const isPaid = paymentStatus === 'paid'
    return {
      isPaid,
      isOpen: !isPaid && (status === undefined || status === 'open'),
      isExpired: !isPaid && status === 'expired',
      amount,
      currency: code,
      paymentReference: typeof intent === 'string' ? intent.slice(0, 200) : id.slice(0, 200),
    }
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    given?: { readonly body: string; readonly idempotencyKey: string },
  ): Promise<OutboundAnswer> {
    const { url, key } = this.settings
    try {
      return await this.outbound.send({
        method,
        url: `${url}${path}`,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(given && {
            'Content-Type': 'application/x-www-form-urlencoded',
            'Idempotency-Key': given.idempotencyKey,
          }),
        },
        ...(given && { body: given.body }),
        timeoutMs,
        answerBytesMax,
      })
    } catch {
      throw failed()
    }
  }
}
