import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import { createdAs } from '../kernel/record/aggregate/counted-shape.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { forecast } from './forecast/forecast.record.ts'
import { QuotaFilter } from './quota/quota.inputs.ts'
import { quota } from './quota/quota.record.ts'
import { ScenarioFilter } from './simulation/scenario.inputs.ts'
import { scenario } from './simulation/scenario.record.ts'
import { triageCase } from './triage/triage-case.record.ts'
import { TriageCaseFilter } from './triage/triage.inputs.ts'

/** The aggregates of the record types whose operations are not all standard ones. */
export const insightsAggregates: readonly Resource[] = [
  aggregateResource(createdAs(forecast, 'submittedAt'), 'READ_FORECASTS', {
    rule: 'Every revision counts.',
    path: 'quota-forecast/forecasts',
    filters: ['userId', 'period', 'periodType', 'currency', 'revision'],
  }),
  aggregateResource(quota, 'READ_FORECASTS', {
    filter: QuotaFilter,
    path: 'quota-forecast/quotas',
    filters: ['userId', 'teamId', 'period', 'periodType', 'currency'],
  }),
  aggregateResource(scenario, 'READ_SIMULATIONS', { filter: ScenarioFilter }),
  aggregateResource(triageCase, 'READ_HEALTH_TRIAGE', { filter: TriageCaseFilter }),
]
