import type {
  ComponentPlan,
  ComponentStep,
  Content,
  MetadataComponent,
  MetadataContext,
} from '../../kernel/metadata/component.ts'
import { phases } from '../../kernel/metadata/component.ts'
import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { liveRows } from '../../kernel/metadata/live-rows.ts'
import { ColumnMapping, filePaths } from '../../kernel/metadata/record-component.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { createField } from './custom-field.actions.ts'
import { CustomFieldType } from './custom-field.enumerations.ts'
import { customField } from './custom-field.record.ts'
import { CustomField } from './custom-field.ts'
import { builtInEntities } from './field-entity.ts'
import { requireUnusedLately } from './recent-users.ts'
import { targetOf } from './type-change.ts'

const fields = recordsOf(customField)
const noun = 'custom field'

/** Values may be written as texts, if they have nothing else. */
export const picklistValuesOf = (given: unknown): unknown =>
  Array.isArray(given) ? given.map((one: unknown) => (typeof one === 'string' ? { value: one } : one)) : given

/** The format has no others in files of custom fields. */
const fieldTypes = Object.keys(CustomFieldType).filter((type) => type !== 'MASTER_DETAIL')

export const dependentValuesRules = {
  type: ['object', 'null'],
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const

const mapping = new ColumnMapping(CustomField, {
  entity: { rules: { enum: builtInEntities }, description: 'The record type that has the field. It never changes.' },
  name: { rules: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' } },
  label: {},
  fieldType: { rules: { enum: fieldTypes } },
  description: {},
  isRequired: {},
  isUnique: {},
  trackHistory: {},
  isActive: {},
  defaultValue: {},
  picklistValues: { isOpen: true, toColumn: picklistValuesOf, toFile: (values) => withoutNone(values) },
  controllingField: {},
  dependentValues: { rules: dependentValuesRules },
  pattern: {},
  precision: {},
  maxLength: {},
  minValue: {},
  maxValue: {},
  lookupEntity: {},
  lookupObject: { rules: { pattern: '^custom:[a-z][a-z0-9_]{0,62}$' } },
  lookupDeleteBehavior: {},
  formulaConfig: { isOpen: true },
  rollupConfig: { isOpen: true },
  sortOrder: {},
})

/** Types without values have an empty list of them. */
export const withoutNone = (values: unknown): unknown => (Array.isArray(values) && values.length === 0 ? null : values)

const nameOf = ({ entity, name }: Content): string => `${String(entity)}.${String(name)}`

/** The custom fields that a text names, of whatever record type. */
const namedIn = (value: unknown): string[] => {
  const found = (JSON.stringify(value) ?? '').matchAll(/customFields\.([A-Za-z_]\w*)/g)
  return [...new Set(Array.from(found, ([, name]) => `field *.${name!}`))]
}

type Values = Partial<CustomField>

/** What a field is, and needs, for the order in which fields are created. */
export const orderOfField = ({
  entity = '',
  name = '',
  controllingField,
  lookupObject,
  formulaConfig,
  rollupConfig,
}: Values): Pick<ComponentStep, 'phase' | 'provides' | 'needs'> => ({
  phase: phases.fields,
  provides: [`field ${entity}.${name}`, `field *.${name}`],
  needs: [
    ...(controllingField ? [`field ${entity}.${controllingField}`] : []),
    ...[entity, lookupObject, rollupConfig?.childObject].flatMap((type) =>
      typeof type === 'string' && customObjectName(type) !== null ? [`object ${type}`] : [],
    ),
    ...namedIn(formulaConfig),
    ...namedIn(rollupConfig),
  ],
})

/** References are cleared unless the file says otherwise. */
export const withDefaults = (values: Values): Values =>
  values.fieldType === 'LOOKUP' ? { ...values, lookupDeleteBehavior: values.lookupDeleteBehavior ?? 'CLEAR' } : values

/** The live fields, as they will be when the changes that are under way have ended, by record type and in their order. */
export const storedFields = async (ctx: RequestContext): Promise<CustomField[]> =>
  (await liveRows(ctx, customField))
    .map((row) => targetOf(row))
    .toSorted((one, other) => one.sortOrder - other.sortOrder)

export function updateField(ctx: MetadataContext, { id, version }: CustomField, changes: Values): Promise<CustomField> {
  requireAdministrator(ctx)
  return fields.update(ctx, id, changes, version)
}

export const customFieldComponent: MetadataComponent = {
  type: 'CUSTOM_FIELD',
  noun,
  schema: new FileSchema({
    title: noun,
    description:
      'A field that the organization adds to a record type: fields/<ENTITY>.<name>.field.json. Those of custom objects are in the files of their objects.',
    properties: mapping.schemas,
    required: ['entity', 'name', 'label', 'fieldType'],
  }),
  nameOf,
  ...filePaths('fields', '.field.json'),
  problemsOf: ({ content }) => mapping.problemsOf(content),
  async list(ctx) {
    const rows = await storedFields(ctx)
    return new Map(
      rows.map((row) => {
        const content = mapping.contentOf(row as unknown as Content)
        const object = customObjectName(row.entity)
        const omitted = omittedOf(mapping, row)
        const partOf = object === null ? {} : { partOf: { type: 'CUSTOM_OBJECT', name: object } }
        return [nameOf(content), { name: nameOf(content), content, omitted, row, managedBy: row.managedBy, ...partOf }]
      }),
    )
  },
  plan(_ctx, { content }, stored): ComponentPlan {
    const values = withDefaults(mapping.valuesOf(content) as Values)
    const step = { ...orderOfField(values), placeOf: mapping.placeOf }
    if (!stored) return { change: 'CREATED', steps: [{ ...step, run: (ctx) => createField(ctx, values) }] }
    const { row } = stored as unknown as { readonly row: CustomField }
    const changes = mapping.changesOf(values as Content, row as unknown as Content) as Values
    if (Object.keys(changes).length === 0) return { change: 'UNCHANGED', steps: [] }
    return { change: 'UPDATED', steps: [{ ...step, run: (ctx) => updateField(ctx, row, changes) }] }
  },
  removal: (stored, isForced) => {
    const { row } = stored as unknown as { readonly row: CustomField }
    return { ...orderOfField(row), run: (ctx) => removeField(ctx, row, isForced) }
  },
}

async function removeField(
  ctx: MetadataContext,
  { id, entity, name, version }: CustomField,
  isForced: boolean,
): Promise<string> {
  requireAdministrator(ctx)
  const removed = await fields.remove(ctx, id, version)
  if (!isForced) await requireUnusedLately(ctx, entity, name)
  return removed
}

/** The file of an object says of what its fields are, and a LOOKUP is always indexed. */
export const omittedOf = (of: ColumnMapping, row: CustomField): string[] =>
  of.omittedOf(
    row as unknown as Content,
    (name) => name === 'entity' || (name === 'isIndexed' && row.fieldType === 'LOOKUP'),
  )
