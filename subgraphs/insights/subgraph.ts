import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { insightsAggregates } from './aggregates.ts'
import { customer360Resources } from './customer-360/customer-360.resolver.ts'
import { engagementResource } from './engagement/engagement.resolver.ts'
import { dealScoreResource } from './deal-score/deal-score.resolver.ts'
import { leadScoreResource } from './lead-score/lead-score.resolver.ts'
import { storedResources } from './engagement/stored/stored.resolver.ts'
import { forecastResource } from './forecast/forecast.resolver.ts'
import { quotaResource } from './quota/quota.resolver.ts'
import { scenarioResource } from './simulation/scenario.resolver.ts'
import { dealCalibrationResource } from './win-rate/calibration.resolver.ts'
import { accountHealthResource } from './triage/account-health.resolver.ts'
import { accountTriageCases } from './triage/account-triage-cases.ts'
import { triageResource } from './triage/triage.resolver.ts'
import { externalIds } from './external-ids.migrations.ts'

export const insights: SubgraphDefinition = {
  name: 'insights',
  ports: ['work', 'graph'],
  migrations: [externalIds],
  resources: [
    engagementResource,
    ...storedResources,
    leadScoreResource,
    quotaResource,
    forecastResource,
    scenarioResource,
    dealScoreResource,
    dealCalibrationResource,
    ...customer360Resources,
    triageResource,
    accountTriageCases,
    accountHealthResource,
    ...insightsAggregates,
  ],
}
