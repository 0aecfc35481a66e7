import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { auditChange } from '../audit/audit.ts'
import { teamEvents, teamPayload } from './team.events.ts'
import { Team } from './team.ts'

export const team: RecordDefinition<Team> = defineRecord(Team, {
  object: 'team',
  table: 'identity.admin_team',
  storedIn: 'identity.team',
  visibleBy: [],
  searchable: ['name'],
  events: teamEvents,
  audit: auditChange('team', ({ operation, previous, next }) =>
    operation === 'UPDATE'
      ? { before: previous, after: next }
      : { before: previous && teamPayload(previous), after: operation === 'DELETE' ? null : teamPayload(next) },
  ),
})
