import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { scenarioEvents } from './scenario.events.ts'
import { formProblems, referenceProblems } from './scenario.rules.ts'
import { Scenario } from './scenario.ts'

export const scenario: RecordDefinition<Scenario> = defineRecord(Scenario, {
  object: 'scenario',
  table: 'insights.scenario',
  visibleBy: ['ownerId'],
  searchable: ['name', 'description'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  names: { 'filters.accountIds': 'account' },
  totals: { by: ['status'] },
  events: scenarioEvents,
  invariants: (next, previous) => (previous ? [] : formProblems(next)),
  checks: async (ctx, next, previous) => (previous ? [] : referenceProblems(ctx, next)),
})
