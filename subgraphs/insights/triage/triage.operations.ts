import { operation, type DeclaredOperation } from '../../kernel/record/operation.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { triageCase } from './triage-case.record.ts'

const ofCase = { answers: 'The case as changed.' } as const
const administrators = { roles: ['OWNER', 'ADMIN'] } as const

export const triageArea = restArea(triageCase, {
  path: 'health-triage/cases',
  folder: 'health-triage',
  filters: ['status', 'severity', 'churnRisk', 'accountId', 'ownerId', updatedAfter],
  derivedFields: ['accountName', 'signals', 'actions'],
})

export const triageOperations: readonly DeclaredOperation[] = [
  operation('GET /v1/health-triage/stats', 'triageStats', {
    summary: 'Figures of the triage cases',
    answers: 'The figures.',
    filteredAs: triageArea,
  }),
  operation('GET /v1/health-triage/trends', 'triageTrends', {
    summary: 'Triage cases by day',
    answers: 'One entry for each day, the oldest first.',
  }),
  operation('GET /v1/health-triage/config', 'triageConfig', {
    summary: 'Read the configuration of the triage',
    answers: 'The configuration.',
  }),
  operation('PATCH /v1/health-triage/config', 'triageConfigUpdate', {
    summary: 'Change the configuration of the triage',
    answers: 'The configuration as changed.',
    ...administrators,
  }),
  operation('POST /v1/health-triage/scan', 'triageScanRequest', {
    summary: 'Request a scan',
    answers: 'The scan, which begins within a minute.',
    status: 202,
    refusals: [409],
    ...administrators,
  }),
  operation('POST /v1/health-triage/cases/{id}/save-plan', 'triageSavePlan', {
    summary: 'Save the plan of a triage case',
    ...ofCase,
  }),
  operation('POST /v1/health-triage/cases/{id}/ignore', 'triageIgnore', {
    summary: 'Ignore a triage case',
    ...ofCase,
  }),
  operation('POST /v1/health-triage/cases/{id}/resolve', 'triageResolve', {
    summary: 'Resolve a triage case',
    ...ofCase,
  }),
  operation('POST /v1/health-triage/cases/{id}/actions/{actionId}/execute', 'triageActionExecute', {
    summary: 'Execute an action of a triage case',
    ...ofCase,
  }),
]
