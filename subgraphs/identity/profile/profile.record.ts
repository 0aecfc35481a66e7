import { Columns } from '../../kernel/record/columns.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { auditRecord } from '../audit/audit.ts'
import { profileEvents } from './profile.events.ts'
import { Profile } from './profile.ts'

export const profile: RecordDefinition<Profile> = {
  entity: Profile,
  columns: Columns.of(Profile),
  object: 'profile',
  table: 'identity.profile',
  visibleBy: [],
  searchable: ['name'],
  maintainedCount: false,
  events: profileEvents,
  audit: auditRecord('profile', (whole) => whole),
}
