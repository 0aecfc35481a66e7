import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { auditRecord } from '../audit/audit.ts'
import { profileEvents } from './profile.events.ts'
import { Profile } from './profile.ts'

export const profile: RecordDefinition<Profile> = defineRecord(Profile, {
  object: 'profile',
  table: 'identity.profile',
  visibleBy: [],
  searchable: ['name'],
  events: profileEvents,
  isAdministrative: true,
  audit: auditRecord('profile', (record) => record),
})
