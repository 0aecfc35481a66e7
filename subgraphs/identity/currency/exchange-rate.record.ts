import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { auditRecord } from '../audit/audit.ts'
import { exchangeRateEvents } from './exchange-rate.events.ts'
import { ExchangeRate } from './exchange-rate.ts'

export const exchangeRate: RecordDefinition<ExchangeRate> = defineRecord(ExchangeRate, {
  object: 'exchange_rate',
  table: 'identity.exchange_rate',
  visibleBy: [],
  searchable: ['currency'],
  events: exchangeRateEvents,
  audit: auditRecord('exchange_rate', (record) => record),
})
