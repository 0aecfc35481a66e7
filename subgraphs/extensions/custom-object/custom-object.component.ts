import { Refusal } from '../../kernel/errors.ts'
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
import { liveRows } from '../../kernel/metadata/live-rows.ts'
import { ColumnMapping, filePaths } from '../../kernel/metadata/record-component.ts'
import { customObject as typeOf } from '../../kernel/record/custom-object.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { omittedOf, storedFields } from '../custom-field/custom-field.component.ts'
import { requireUnusedLately } from '../custom-field/recent-users.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { createObject, updateObject } from './custom-object.actions.ts'
import { customObject } from './custom-object.record.ts'
import { CustomObject } from './custom-object.ts'
import {
  fieldMapping,
  fieldNamesIn,
  fieldSteps,
  problemsOfFields,
  requiredOfFields,
  writeField,
} from './object-fields.ts'

const objects = recordsOf(customObject)
const noun = 'custom object'
const objectMapping = new ColumnMapping(CustomObject, {
  name: { rules: { pattern: '^[a-z][a-z0-9_]{0,62}$' } },
  label: {},
  pluralLabel: {},
  description: {},
  nameField: {},
})

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

type Values = Readonly<Record<string, unknown>>

interface StoredObject extends StoredComponent {
  readonly row: CustomObject
  readonly fields: readonly CustomField[]
}

const nameOf = ({ name }: Content): string => String(name)

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
  if (!record) {
    await requireUnusedLately(ctx, typeOf(name), null)
    return removed
  }
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
  partsIn: (content) => fieldNamesIn(content).map((name) => ({ type: 'CUSTOM_FIELD', name })),
  problemsOf: ({ content }) => problemsOfFields(content),
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
        return [row.name, { name: row.name, content, omitted, row, fields, managedBy: row.managedBy }]
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
