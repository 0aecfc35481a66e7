import { Counter } from 'prom-client'
import { Refusal } from '../errors.ts'

const refusals = new Counter({
  name: 'crm_database_refusals_total',
  help: 'Statements and transactions that got no connection: too many of their organization waited (FULL), or they waited too long (LATE).',
  labelNames: ['reason'],
})

export function poolExhausted(reason: 'FULL' | 'LATE'): Refusal {
  refusals.inc({ reason })
  return new Refusal('UNAVAILABLE', 'Too many requests are waiting; retry in 1 s.', { retryAfter: 1 })
}
