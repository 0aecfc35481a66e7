import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { ExchangeRate } from './exchange-rate.ts'

export const exchangeRateEvents: RecordEvents<ExchangeRate> = {
  types: {
    'exchange_rate.created': { operation: 'CREATE', description: 'An exchange rate was added.' },
    'exchange_rate.updated': {
      operation: 'UPDATE',
      description: 'The rate of a currency on a date was replaced; previous holds the former rate.',
      before: { rate: 1.0791 },
    },
    'exchange_rate.deleted': {
      operation: 'DELETE',
      description: 'An exchange rate was deleted; the rate before it applies instead.',
    },
  },
}
