import { Refusal } from '../errors.ts'
import { exactNumber, isJsonObject, type ExactNumber } from '../json/exact-number.ts'
import type { Outbound, OutboundAnswer } from '../outbound/outbound.ts'
import { currencyDecimals } from '../values/currency.ts'
import { decimalOf, exactOf } from '../values/decimal.ts'
import type { Checkout, CheckoutRequest, CheckoutState, PaymentProvider, PaymentSettings } from './payment.ts'

const timeoutMs = 10_000
const answerBytesMax = 200_000

/** The smallest units of a currency, as the provider counts amounts. */
const unitsOf = (amount: ExactNumber, currency: string): string =>
  decimalOf(amount)
    .times(`1e${currencyDecimals(currency)}`)
    .toFixed(0)

const amountOf = (units: unknown, currency: string): ExactNumber =>
  exactOf(decimalOf(exactNumber(String(units))).times(`1e-${currencyDecimals(currency)}`))

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

  async open({ amount, currency, title, reference, successUrl, cancelUrl }: CheckoutRequest): Promise<Checkout> {
    const price = 'line_items[0][price_data]'
    const body = new URLSearchParams({
      mode: 'payment',
      client_reference_id: reference,
      success_url: successUrl,
      cancel_url: cancelUrl,
      'line_items[0][quantity]': '1',
      [`${price}[currency]`]: currency.toLowerCase(),
      [`${price}[unit_amount]`]: unitsOf(amount, currency),
      [`${price}[product_data][name]`]: title,
    })
    const { id, url } = objectIn(await this.#send('POST', '/v1/checkout/sessions', body.toString()))
    if (typeof id !== 'string' || !isCheckoutId(id) || !isWebAddress(url)) throw failed()
    return { id, url }
  }

  async stateOf(id: string): Promise<CheckoutState> {
    const session = objectIn(await this.#send('GET', `/v1/checkout/sessions/${encodeURIComponent(id)}`))
    const { payment_status: status, amount_total: units, currency, payment_intent: intent } = session
    if (session['id'] !== id || typeof currency !== 'string' || !Number.isSafeInteger(units)) throw failed()
    const code = currency.toUpperCase()
    return {
      isPaid: status === 'paid',
      amount: amountOf(units, code),
      currency: code,
      paymentReference: typeof intent === 'string' ? intent.slice(0, 200) : id.slice(0, 200),
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body?: string): Promise<OutboundAnswer> {
    const { url, key } = this.settings
    try {
      return await this.outbound.send({
        method,
        url: `${url}${path}`,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        ...(body !== undefined && { body }),
        timeoutMs,
        answerBytesMax,
      })
    } catch {
      throw failed()
    }
  }
}
