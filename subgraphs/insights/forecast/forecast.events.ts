import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Forecast } from './forecast.ts'

export const forecastEvents: RecordEvents<Forecast> = {
  types: {
    'forecast.submitted': {
      operation: 'CREATE',
      description: 'A forecast of a user for a period was submitted, for the first time or again.',
    },
  },
}
