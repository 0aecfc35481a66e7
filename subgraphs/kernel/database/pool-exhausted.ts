import { Counter } from 'prom-client'
import type { Refusal } from '../errors.ts'
import { noTurn } from '../own-load.ts'

const refusals = new Counter({
  name: 'crm_database_refusals_total',
  help: 'Statements and transactions that got no connection: too many of their organization waited (FULL), or they waited too long (LATE).',
  labelNames: ['reason'],
})

/** `isOwnLoad`: the connections or the turns before it were those of the same tenant. */
export function poolExhausted(reason: 'FULL' | 'LATE', isOwnLoad: boolean): Refusal {
  refusals.inc({ reason })
  return noTurn('requests', 1, isOwnLoad)
}
