import type { Outbound } from '../outbound/outbound.ts'
import { HostedCheckout } from './hosted-checkout.ts'
import type { PaymentProvider, PaymentSettings } from './payment.ts'

/** The provider of the installation; null without one: invoices are then paid outside. */
export const paymentProvider = (settings: PaymentSettings | null, outbound: Outbound): PaymentProvider | null =>
  settings && new HostedCheckout(settings, outbound)
