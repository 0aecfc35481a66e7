import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { TriageCase } from './triage-case.ts'

export const triageEvents: RecordEvents<TriageCase> = {
  types: {
    'triage.opened': {
      operation: 'CREATE',
      description: 'The scan found an account at risk and opened a triage case.',
      adds: { accountId: 'record.accountId', severity: 'record.severity' },
    },
    'triage_case.updated': {
      operation: 'UPDATE',
      description: 'A triage case was changed: its figures by a scan, or its plan, actions or status by a user.',
      before: { riskScore: 61.2 },
    },
    'triage.reopened': {
      operation: 'UPDATE',
      description: 'The time for which a triage case was ignored has passed, and the account is still at risk.',
      adds: { accountId: 'record.accountId', severity: 'record.severity' },
      before: { status: 'IGNORED', ignoredUntil: '2026-11-01T00:00:00.000Z' },
    },
    'triage.resolved': {
      operation: 'UPDATE',
      description: 'A triage case was resolved, by a user or because the risk has fallen.',
      adds: { accountId: 'record.accountId', resolution: 'record.resolution' },
      sample: {
        status: 'RESOLVED',
        resolution: 'The yard has renewed.',
        resolvedAt: '2026-11-05T09:12:00.000Z',
      },
      before: { status: 'IN_PROGRESS' },
    },
  },
}
