import { activeUsers } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { fileEvents } from './file.events.ts'
import { fileParents } from './file.enumerations.ts'
import { isAttachedAsWhole, parentExists } from './file.rules.ts'
import { File } from './file.ts'

export const file: RecordDefinition<File> = defineRecord(File, {
  object: 'file',
  table: 'crm.file',
  visibleBy: [],
  visibleThroughRelated: { type: 'relatedToType', id: 'relatedToId', to: fileParents, orCustomObject: true },
  searchable: ['name'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  events: fileEvents,
  invariants: isAttachedAsWhole,
  checks: parentExists,
})
