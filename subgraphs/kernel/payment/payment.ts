import type { ExactNumber } from '../json/exact-number.ts'

/** The configured provider of hosted checkouts, which speaks the API of Stripe Checkout. */
export interface PaymentSettings {
  /** Base URL of the API, without a slash at the end. */
  readonly url: string
  readonly key: string
  /** Secret with which the provider signs its webhook requests. */
  readonly webhookSecret: string
}

export interface CheckoutRequest {
  readonly amount: ExactNumber
  /** ISO 4217 code. */
  readonly currency: string
  /** What is paid, as the provider shows it. */
  readonly title: string
  /** Comes back in webhook requests. */
  readonly reference: string
  /** The same key with the same request opens one page, however often it is sent. */
  readonly key: string
  /** Where the customer returns to after the payment; the provider replaces `{CHECKOUT_SESSION_ID}`. */
  readonly successUrl: string
  readonly cancelUrl: string
}

/** A page of the provider on which the customer pays. */
export interface Checkout {
  readonly id: string
  readonly url: string
}

/** What the provider says about a checkout. */
export interface CheckoutState {
  readonly isPaid: boolean
  /** Whether the customer can still pay on the page. */
  readonly isOpen: boolean
  /** Whether it can never be paid any more. */
  readonly isExpired: boolean
  /** The amount in the currency, as an exact decimal; what was really received. */
  readonly amount: ExactNumber
  readonly currency: string
  /** The provider's id of the payment. */
  readonly paymentReference: string
}

/** The port to a provider of hosted checkouts. */
export interface PaymentProvider {
  open(request: CheckoutRequest): Promise<Checkout>
  /** Asks the provider: what a browser or a webhook request says is never believed. */
  stateOf(id: string): Promise<CheckoutState>
}
