import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { published } from '../few-per-type.ts'
import { registerUse } from '../used-by.ts'
import { customObjectEvents } from './custom-object.events.ts'
import {
  fewObjects,
  isKept,
  isUnused,
  nameFieldExists,
  nameIsFree,
  noFieldIsChanging,
  objectProblems,
  withFormerNameFields,
} from './custom-object.rules.ts'
import { CustomObject } from './custom-object.ts'

export const customObject: RecordDefinition<CustomObject> = defineRecord(CustomObject, {
  object: 'custom_object',
  table: 'extensions.custom_object',
  visibleBy: [],
  searchable: ['name', 'label', 'pluralLabel', 'description'],
  references: { ownerId: activeUsers },
  unique: { custom_object_name: 'name' },
  events: customObjectEvents,
  audit: auditRecord('custom_object', ({ name, label, pluralLabel, description, nameField }) => ({
    name,
    label,
    pluralLabel,
    description,
    nameField,
  })),
  calculated: withFormerNameFields,
  invariants: objectProblems,
  // Writes of records wait for the publication, so what the rules after it read of them stays true.
  serializedRules: [published, nameIsFree, fewObjects, nameFieldExists, isKept, noFieldIsChanging, isUnused],
})

registerUse({
  used: 'custom_object',
  user: 'webhook',
  sql: `select w.id, w.name from events.webhook w join extensions.custom_object o on o.organization_id = w.organization_id and o.id = $2
    where w.organization_id = $1 and w.deleted_at is null
      and exists (select from unnest(w.events) e where starts_with(e, 'custom_object.' || o.name || '.')) order by w.created_at, w.id`,
})
