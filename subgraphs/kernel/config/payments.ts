import type { PaymentSettings } from '../payment/payment.ts'
import { ConfigError } from './config-error.ts'

/** The provider of hosted checkouts; null without its key and its secret. */
export function paymentsOf(env: NodeJS.ProcessEnv, url: string | null): PaymentSettings | null {
  const { PAYMENT_KEY: key = '', PAYMENT_WEBHOOK_SECRET: webhookSecret = '' } = env
  if (!key && !webhookSecret) return null
  if (!key || webhookSecret.length < 16)
    throw new ConfigError('PAYMENT_KEY and PAYMENT_WEBHOOK_SECRET (at least 16 characters) must be set together.')
  return { url: (url ?? 'https://api.stripe.com').replace(/\/+$/, ''), key, webhookSecret }
}
