import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { published } from '../few-per-type.ts'
import { indexAfter } from '../field-index/index-state.ts'
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
  fewTracked,
  nameIsFree,
  onTarget,
  removedValuesAreUncontrolling,
  removedValuesAreUnused,
  valuesAreFew,
} from './field-limits.ts'
import { isUnused, keepsNameType, liveIsUnused } from './field-uses.ts'
import { formulasAreFew, formulasAreValid } from './formula-rules.ts'
import { rollupsAreFew, rollupsAreValid, rollupsKeepTheirFields } from './rollup-rules.ts'

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
    const built = { ...indexAfter(next, previous), ...totalsAfter(next) }
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
    onTarget(valuesAreFew),
    onTarget(controllingFieldExists),
    removedValuesAreUncontrolling,
    removedValuesAreUnused,
    keepsNameType,
    isUnused,
    beginsChanges,
    formulasAreFew,
    formulasAreValid,
    liveIsUnused,
    rollupsAreFew,
    rollupsAreValid,
    rollupsKeepTheirFields,
  ],
})
