import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { publishDefinitions } from '../../kernel/extension/current-extensions.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import {
  phases,
  type ComponentPlan,
  type ComponentStep,
  type Content,
  type MetadataComponent,
  type MetadataContext,
  type StoredComponent,
} from '../../kernel/metadata/component.ts'
import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { ColumnMapping, filePaths, liveRows } from '../../kernel/metadata/record-component.ts'
import { customObject as typeOf } from '../../kernel/record/custom-object.ts'
import { lookupTargets } from '../../kernel/record/lookup/lookup.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { createField } from '../custom-field/custom-field.actions.ts'
import {
  dependentValuesRules,
  omittedOf,
  orderOfField,
  picklistValuesOf,
  storedFields,
  updateField,
  withDefaults,
  withoutNone,
} from '../custom-field/custom-field.component.ts'
import { CustomFieldType } from '../custom-field/custom-field.enumerations.ts'
import { CustomField } from '../custom-field/custom-field.ts'
import { createObject, updateObject } from './custom-object.actions.ts'
import { customObject } from './custom-object.record.ts'
import { CustomObject } from './custom-object.ts'

const objects = recordsOf(customObject)
const noun = 'custom object'
const masterDetail = 'MASTER_DETAIL'
/** The format names these; more are accepted, because the API has them. */
const targets = lookupTargets.map((object) => object.toUpperCase())

const objectMapping = new ColumnMapping(CustomObject, {
  name: { rules: { pattern: '^[a-z][a-z0-9_]{0,62}$' } },
  label: {},
  pluralLabel: {},
  description: {},
  nameField: {},
})

const fieldMapping = new ColumnMapping(CustomField, {
  name: { rules: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' } },
  label: {},
  type: { column: 'fieldType', rules: { enum: [...new Set([...Object.keys(CustomFieldType), masterDetail])] } },
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

const requiredOfFields = ['name', 'label', 'type']

const schema = new FileSchema({
  title: noun,
  description: 'A record type that the organization defines, with its fields: objects/<name>.object.json.',
  properties: {
    ...objectMapping.schemas,
    fields: {
      type: 'array',
      description: 'The custom fields of the object, in their order. A field that is not named stays.',
      items: {
        type: 'object',
        properties: fieldMapping.schemas,
        required: requiredOfFields,
        additionalProperties: false,
      },
      maxItems: 500,
    },
  },
  required: ['name', 'label'],
})

const isCustom = (target: unknown): boolean => typeof target === 'string' && target.startsWith('custom:')

const writeField = ({ lookupObject, ...content }: Content): Content => {
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

interface StoredObject extends StoredComponent {
  readonly row: CustomObject
  readonly fields: readonly CustomField[]
}

const nameOf = ({ name }: Content): string => String(name)

const fieldsIn = ({ fields = [] }: Content): readonly Content[] => fields as readonly Content[]

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
  if (field['type'] === masterDetail && !Object.hasOwn(CustomFieldType, masterDetail)) {
    const path = inField(index, 'type')
    return [{ path, code: 'NOT_AVAILABLE', message: `${path} ${masterDetail} cannot be deployed yet.` }]
  }
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

function fieldSteps(content: Content, stored: readonly CustomField[]): ComponentStep[] {
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

/** The records of a deleted object are out of sight, so whoever deletes one with records has to say so. */
async function removeObject(
  ctx: MetadataContext,
  { id, name, version }: CustomObject,
  isForced: boolean,
): Promise<string> {
  requireAdministrator(ctx)
  const removed = await objects.remove(ctx, id, version)
  if (isForced) return removed
  const [record] = await ctx.db.query<{ id: string; name: string | null }>(
    `select id, name from extensions.custom_record
     where organization_id = $1 and object = $2 and deleted_at is null limit 1`,
    [ctx.caller.organizationId, name],
  )
  if (!record) return removed
  const message = 'The custom object has records; delete it with `force`.'
  throw new Refusal('HAS_DEPENDENTS', message, { usedBy: [{ object: typeOf(name), id: record.id, name: record.name }] })
}

/** The steps of the object itself. Its name field is one of its fields, so it comes after them. */
function objectSteps(content: Content, before: CustomObject | null): ComponentStep[] {
  const { nameField = null, ...values } = objectMapping.valuesOf(content) as Partial<CustomObject>
  const provides = [`object ${typeOf(nameOf(content))}`]
  const { placeOf } = objectMapping
  const changes = before ? objectMapping.changesOf(values as Values, before as unknown as Values) : values
  let id = before?.id ?? ''
  let version: number | null = before?.version ?? null
  const steps: ComponentStep[] = []
  const object = { phase: phases.objects, provides, needs: [], placeOf }
  if (!before)
    steps.push({
      ...object,
      run: async (ctx) => {
        id = (await createObject(ctx, values)).id
      },
    })
  else if (Object.keys(changes).length > 0)
    steps.push({
      ...object,
      run: async (ctx) => {
        await updateObject(ctx, id, changes, version)
        version = null
      },
    })
  if ((before?.nameField ?? null) !== nameField)
    steps.push({
      phase: phases.nameFields,
      provides: [],
      needs: [...provides, ...(nameField === null ? [] : [`field ${typeOf(nameOf(content))}.${nameField}`])],
      placeOf,
      run: (ctx) => updateObject(ctx, id, { nameField }, version),
    })
  return steps
}

export const customObjectComponent: MetadataComponent = {
  type: 'CUSTOM_OBJECT',
  noun,
  schema,
  nameOf,
  ...filePaths('objects', '.object.json'),
  problemsOf: ({ content }) => {
    const fields = fieldsIn(content)
    return [
      ...fields.flatMap((field, index) => (isJsonObject(field) ? fieldProblems(field, index) : [])),
      ...repeated(fields),
    ]
  },
  async list(ctx) {
    const byEntity = Map.groupBy(await storedFields(ctx), ({ entity }) => entity as string)
    const rows = await liveRows(ctx, customObject)
    return new Map(
      rows.map((row): [string, StoredObject] => {
        const fields = byEntity.get(typeOf(row.name)) ?? []
        const content = {
          ...objectMapping.contentOf(row as unknown as Content),
          fields: fields.map((field) => writeField(fieldMapping.contentOf(field as unknown as Content))),
        }
        const omitted = fields.flatMap((field) =>
          omittedOf(fieldMapping, field).map((name) => `${name} of the field ${field.name}`),
        )
        return [row.name, { name: row.name, content, omitted, row, fields }]
      }),
    )
  },
  plan(_ctx, { content }, stored): ComponentPlan {
    const { row = null, fields = [] } = (stored ?? {}) as Partial<StoredObject>
    const steps = [...objectSteps(content, row), ...fieldSteps(content, fields)]
    return { change: row === null ? 'CREATED' : steps.length > 0 ? 'UPDATED' : 'UNCHANGED', steps }
  },
  removal: (stored, isForced) => {
    const { row } = stored as StoredObject
    const provides = [`object ${typeOf(row.name)}`]
    return { phase: phases.objects, provides, needs: [], run: (ctx) => removeObject(ctx, row, isForced) }
  },
}
