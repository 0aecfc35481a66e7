import type { FieldProblem } from '../../kernel/errors.ts'
import { publishDefinitions } from '../../kernel/extension/current-extensions.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { ComponentStep, Content, MetadataContext } from '../../kernel/metadata/component.ts'
import { ColumnMapping } from '../../kernel/metadata/record-component.ts'
import { customObject as typeOf } from '../../kernel/record/custom-object.ts'
import { lookupTargets } from '../../kernel/record/lookup/lookup.ts'
import { createField } from '../custom-field/custom-field.actions.ts'
import {
  dependentValuesRules,
  orderOfField,
  picklistValuesOf,
  updateField,
  withDefaults,
  withoutNone,
} from '../custom-field/custom-field.component.ts'
import { CustomFieldType } from '../custom-field/custom-field.enumerations.ts'
import { CustomField } from '../custom-field/custom-field.ts'

/** The format names these; more are accepted, because the API has them. */
const targets = lookupTargets.map((object) => object.toUpperCase())

export const fieldMapping = new ColumnMapping(CustomField, {
  name: { rules: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' } },
  label: {},
  type: { column: 'fieldType', rules: { enum: Object.keys(CustomFieldType) } },
  required: { column: 'isRequired' },
  options: {
    column: 'picklistValues',
    isOpen: true,
    toColumn: picklistValuesOf,
    toFile: (values) => withoutNone(values),
  },
  lookupTarget: {
    column: 'lookupEntity',
    rules: { pattern: `^(?:${targets.join('|')}|custom:[a-z][a-z0-9_]{0,62})$` },
    description: `The record type whose ids the values are: ${targets.join(', ')}, or custom:<object>.`,
  },
  lookupObject: { isHidden: true },
  onDelete: { column: 'lookupDeleteBehavior' },
  controllingField: {},
  dependentValues: { rules: dependentValuesRules },
  trackHistory: {},
  formula: { column: 'formulaConfig', isOpen: true },
  rollup: { column: 'rollupConfig', isOpen: true },
})

export const requiredOfFields = ['name', 'label', 'type']

const isCustom = (target: unknown): boolean => typeof target === 'string' && target.startsWith('custom:')

export const writeField = ({ lookupObject, ...content }: Content): Content => {
  if (lookupObject === undefined) return content
  // The order of the properties is that of the schema.
  const order = Object.keys(fieldMapping.schemas)
  const all = Object.entries({ ...content, lookupTarget: lookupObject })
  return Object.fromEntries(all.toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)))
}

const readField = ({ lookupTarget, ...content }: Content): Content => ({
  ...content,
  ...(isCustom(lookupTarget) ? { lookupObject: lookupTarget } : { lookupTarget }),
})

type Values = Readonly<Record<string, unknown>>

const nameOf = ({ name }: Content): string => String(name)

const fieldsIn = ({ fields = [] }: Content): readonly Content[] => fields as readonly Content[]

/** The names of the fields as components. */
export const fieldNamesIn = (content: Content): string[] =>
  fieldsIn(content).map((field) => `${typeOf(nameOf(content))}.${nameOf(field)}`)

/** The values of the fields that the file names. */
const fieldValues = (content: Content): Partial<CustomField>[] =>
  fieldsIn(content).map((field) =>
    withDefaults({
      ...(fieldMapping.valuesOf(readField(field)) as Partial<CustomField>),
      entity: typeOf(nameOf(content)) as CustomField['entity'],
    }),
  )

const inField = (index: number, path: string): string => (path === '' ? `fields.${index}` : `fields.${index}.${path}`)

function fieldProblems(field: Content, index: number): FieldProblem[] {
  return fieldMapping
    .problemsOf(readField(field))
    .map((problem) => ({ ...problem, path: inField(index, problem.path) }))
}

/** Names that the list of fields has twice, as the fields of a record type, which differ in more than upper and lower case. */
function repeated(fields: readonly Content[]): FieldProblem[] {
  const names = fields.map(({ name }) => String(name).toLowerCase())
  return names.flatMap((name, index) => {
    const path = inField(index, 'name')
    const message = `${path} must be another one, because a field before has it.`
    return names.indexOf(name) < index ? [{ path, code: 'NOT_UNIQUE', message }] : []
  })
}

/** What is wrong with the fields of a file, besides what its schema says. */
export const problemsOfFields = (content: Content): FieldProblem[] => {
  const fields = fieldsIn(content)
  const own = fields.flatMap((field, index) => (isJsonObject(field) ? fieldProblems(field, index) : []))
  return [...own, ...repeated(fields)]
}

/** Whether the fields of the file have the order that they have already, with new ones at the end. */
function isInOrder(names: readonly string[], stored: readonly CustomField[]): boolean {
  const before = stored.map(({ name }) => name).filter((name) => names.includes(name))
  return before.every((name, index) => names[index] === name)
}

/** Of an object without records, the index of a field is complete when the field is new, so that rollups of the same deployment can use it. */
async function createFieldOfObject(ctx: MetadataContext, values: Partial<CustomField>, name: string): Promise<void> {
  // Until the transaction ends, nobody writes the first record.
  await publishDefinitions(ctx)
  const records = await ctx.db.query(
    'select from extensions.custom_record where organization_id = $1 and object = $2 limit 1',
    [ctx.caller.organizationId, name],
  )
  await createField(ctx, values, records.length === 0 ? { hasIndex: true } : {})
}

/** How the fields of an object become what its file says. */
export function fieldSteps(content: Content, stored: readonly CustomField[]): ComponentStep[] {
  const all = fieldValues(content)
  const isKept = isInOrder(
    all.map(({ name }) => name!),
    stored,
  )
  return all.flatMap((values, index): ComponentStep[] => {
    const before = stored.find(({ name }) => name === values.name)
    const wanted = isKept && stored.length > 0 ? values : { ...values, sortOrder: index }
    const placeOf = (path: string) => ({ path: inField(index, fieldMapping.placeOf(path).path) })
    const step = { ...orderOfField(values), placeOf }
    if (!before) return [{ ...step, run: (ctx) => createFieldOfObject(ctx, wanted, nameOf(content)) }]
    const changes = fieldMapping.changesOf(wanted as Values, before as unknown as Values)
    return Object.keys(changes).length === 0 ? [] : [{ ...step, run: (ctx) => updateField(ctx, before, changes) }]
  })
}
