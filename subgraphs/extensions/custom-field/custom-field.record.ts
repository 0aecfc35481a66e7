import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { published } from '../few-per-type.ts'
import { registerUse } from '../used-by.ts'
import { indexAfter } from '../field-index/index-state.ts'
import { valuesAfter } from '../field-formula/values-state.ts'
import { otherFormulasFollow } from '../field-formula/other-formulas.ts'
import { totalsAfter } from '../field-rollup/totals-state.ts'
import { beginsChanges, nothingIsUnderWay, stateAfter } from '../field-change/definition-state.ts'
import { customFieldEvents } from './custom-field.events.ts'
import { fieldProblems } from './custom-field.rules.ts'
import { CustomField } from './custom-field.ts'
import { objectExists } from './field-entity.ts'
import {
  controllingFieldExists,
  fewFields,
  fewIndexedFields,
  fewOfType,
  fewTracked,
  nameIsFree,
  onTarget,
  removedValuesAreUncontrolling,
  removedValuesAreUnused,
  valuesAreFew,
} from './field-limits.ts'
import { isUnused, keepsNameType, liveIsUnused } from './field-uses.ts'
import { lookedUpObjectExists, withLookup } from './lookup-rules.ts'
import { formulasAreValid, storedIsLocal } from './formula-rules.ts'
import { detailsRestrictNothing, detailsHaveMasters, mastersAreFew } from './master-rules.ts'
import { rollupsAreValid, rollupsKeepTheirFields } from './rollup-rules.ts'

export const fieldTable = 'extensions.field_definition'

const audited = [
  'entity',
  'name',
  'label',
  'fieldType',
  'description',
  'isRequired',
  'isActive',
  'isSearchable',
  'trackHistory',
  'isIndexed',
  'isUnique',
  'defaultValue',
  'picklistValues',
  'controllingField',
  'dependentValues',
  'pattern',
  'formulaConfig',
  'rollupConfig',
  'lookupEntity',
  'lookupObject',
  'lookupDeleteBehavior',
  'isReparentable',
  'precision',
  'maxLength',
  'minValue',
  'maxValue',
  'sortOrder',
] as const satisfies readonly (keyof CustomField)[]

export const customField: RecordDefinition<CustomField> = defineRecord(CustomField, {
  object: 'custom_field',
  table: fieldTable,
  visibleBy: [],
  searchable: ['name', 'label', 'description'],
  references: { ownerId: activeUsers },
  unique: { field_definition_name: 'name' },
  events: customFieldEvents,
  audit: auditRecord('custom_field', (field) => Object.fromEntries(audited.map((name) => [name, field[name]]))),
  calculated: (next, previous, given) => {
    const lookup = withLookup(next)
    const stored = { ...lookup, ...valuesAfter(next, previous) }
    const built = { ...stored, ...indexAfter({ ...next, ...stored }, previous), ...totalsAfter(next, previous) }
    return { ...built, ...stateAfter({ ...next, ...built }, previous, given) }
  },
  checks: nothingIsUnderWay,
  invariants: fieldProblems,
  // Writes of records wait for the publication, so what the rules after it read of them stays true.
  serializedRules: [
    published,
    objectExists,
    nameIsFree,
    fewFields,
    fewTracked,
    fewIndexedFields,
    fewOfType,
    lookedUpObjectExists,
    mastersAreFew,
    detailsHaveMasters,
    detailsRestrictNothing,
    onTarget(valuesAreFew),
    onTarget(controllingFieldExists),
    removedValuesAreUncontrolling,
    removedValuesAreUnused,
    keepsNameType,
    isUnused,
    beginsChanges,
    formulasAreValid,
    storedIsLocal,
    liveIsUnused,
    rollupsAreValid,
    rollupsKeepTheirFields,
    otherFormulasFollow(() => customField),
  ],
})

// An object that names itself is deleted with its fields, and fields of deleted objects are in no use.
registerUse({
  used: 'custom_object',
  user: 'custom_field',
  sql: `select f.id, f.name, f.entity from ${fieldTable} f
    join extensions.custom_object o on o.organization_id = f.organization_id and 'custom:' || o.name = f.lookup_object
    left join extensions.custom_object own on own.organization_id = f.organization_id and 'custom:' || own.name = f.entity
    where o.organization_id = $1 and o.id = $2 and f.deleted_at is null and own.id is distinct from o.id and own.deleted_at is null
    order by f.created_at, f.id`,
})
