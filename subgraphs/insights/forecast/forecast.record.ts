import { auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { forecastEvents } from './forecast.events.ts'
import { Forecast } from './forecast.ts'

export const forecast: RecordDefinition<Forecast> = defineRecord(Forecast, {
  object: 'forecast',
  table: 'insights.forecast',
  visibleBy: ['userId'],
  searchable: ['period'],
  amounts: { columns: ['commit', 'bestCase', 'pipeline'], currency: 'currency' },
  eventTypes: { CREATE: 'forecast.submitted' },
  events: forecastEvents,
  audit: auditRecord('forecast', (record) => record),
})
