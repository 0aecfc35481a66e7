import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { customObject as typeOf, customObjectNamePattern } from '../../kernel/record/custom-object.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { requireUnused } from '../used-by.ts'
import { nameFieldsMax, objectsMax } from './bounds.ts'
import type { CustomObject } from './custom-object.ts'

type Rule = SerializedRule<CustomObject>

/** The name field that an object had is remembered: deleted records and events still have its values as their names. */
export function withFormerNameFields(
  { nameField, formerNameFields }: CustomObject,
  previous: CustomObject | null,
): Partial<CustomObject> {
  const former = previous?.nameField ?? null
  if (former === null || former === nameField || formerNameFields.includes(former)) return {}
  return { formerNameFields: [...formerNameFields, former] }
}

/** The problems of an object that follow from it alone. */
export function objectProblems(
  { name, deletedAt, nameField, formerNameFields }: CustomObject,
  previous: CustomObject | null,
): FieldProblem[] {
  if (deletedAt !== null) return []
  if (previous !== null) {
    const all = new Set([...formerNameFields, ...(nameField === null ? [] : [nameField])])
    if (all.size <= nameFieldsMax) return []
    const message = `nameField must be null or one that the object had before: it has had ${nameFieldsMax}.`
    return [{ path: 'nameField', code: 'TOO_MANY', message }]
  }
  if (customObjectNamePattern.test(name)) return []
  const message =
    'name must have 1 to 63 lower-case ASCII letters, digits and underscores, and must begin with a letter.'
  return [{ path: 'name', code: 'WRONG_FORMAT', message }]
}

/** A deleted object keeps its name, because its records are kept. */
export const nameIsFree: Rule = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }, { name }) {
    const [other] = await db.query<{ id: string; isDeleted: boolean }>(
      `select id, deleted_at is not null as "isDeleted" from extensions.custom_object
       where organization_id = $1 and name = $2`,
      [caller.organizationId, name],
    )
    if (!other) return []
    const what = other.isDeleted ? 'A deleted custom object, which can be restored,' : 'Another custom object'
    const message = `${what} has the name ${name}.`
    const errors = [{ path: 'name', code: 'NOT_UNIQUE', message, conflictingId: other.id }]
    throw new Refusal('UNIQUE_VIOLATION', message, { errors })
  },
}

export const fewObjects: Rule = {
  concerns: (_ctx, next, previous) => next.deletedAt === null && previous?.deletedAt !== null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from extensions.custom_object where organization_id = $1 and deleted_at is null`,
      [caller.organizationId],
    )
    if (row!.count < objectsMax) return []
    const message = `An organization has at most ${objectsMax} custom objects; delete one first.`
    throw new Refusal('LIMIT_REACHED', message, { limit: objectsMax })
  },
}

/** The types of a field that can be the name of records: short texts, so that an index has them. */
export const nameTypes: readonly unknown[] = ['TEXT', 'EMAIL', 'PHONE']

const noNameField = (): FieldProblem => {
  const message = `nameField must be the name of a field of the object of the type ${nameTypes.join(', ')}.`
  return { path: 'nameField', code: 'UNKNOWN_REFERENCE', message }
}

/** The problem of the name field of a new object, which has no fields but those that it is created with. */
export const newNameFieldProblems = (
  nameField: string | null,
  fields: readonly { readonly name?: unknown; readonly fieldType?: unknown }[],
): FieldProblem[] =>
  nameField === null || fields.some(({ name, fieldType }) => name === nameField && nameTypes.includes(fieldType))
    ? []
    : [noNameField()]

export const nameFieldExists: Rule = {
  concerns: (_ctx, { deletedAt, nameField }, previous) =>
    previous !== null && deletedAt === null && nameField !== null && nameField !== previous.nameField,
  async enforce({ db, caller }, { name, nameField }) {
    const found = await db.query(
      `select 1 from extensions.field_definition
       where organization_id = $1 and entity = $2 and name = $3 and deleted_at is null
         and field_type = any($4) and coalesce(pending ->> 'fieldType', field_type) = any($4)`,
      [caller.organizationId, typeOf(name), nameField, nameTypes],
    )
    return found.length > 0 ? [] : [noNameField()]
  },
}

/** An object is not restored once the removal of its records has begun. */
export const isKept: Rule = {
  concerns: (_ctx, next, previous) => next.deletedAt === null && previous !== null && previous.deletedAt !== null,
  enforce(_ctx, { removalStartedAt }) {
    if (removalStartedAt === null) return Promise.resolve([])
    throw refusalInSituation('The object was deleted more than 30 days ago, and its records are being removed.')
  },
}

/** A change of a field needs the shape of the records, which a deleted object does not have. */
export const noFieldIsChanging: Rule = {
  concerns: (_ctx, next, previous) => previous !== null && next.deletedAt !== null && previous.deletedAt === null,
  async enforce({ db, caller }, { name }) {
    const [field] = await db.query<{ name: string }>(
      `select name from extensions.field_definition
       where organization_id = $1 and entity = $2 and state = 'BUILDING' order by name limit 1`,
      [caller.organizationId, typeOf(name)],
    )
    if (!field) return []
    const message = `A change of the field ${field.name} is under way; delete the object when the state of the field is READY.`
    throw refusalInSituation(message, { state: 'BUILDING' })
  },
}

/** An object that something of the organization names is not deleted under it. Its own fields are deleted with it. */
export const isUnused: Rule = {
  concerns: (_ctx, next, previous) => previous !== null && next.deletedAt !== null,
  async enforce(ctx, { id }) {
    // Who names it holds this lock until it has committed.
    await ctx.db.query('select from extensions.custom_object where organization_id = $1 and id = $2 for update', [
      ctx.caller.organizationId,
      id,
    ])
    await requireUnused(ctx, 'custom_object', id)
    return []
  },
}
