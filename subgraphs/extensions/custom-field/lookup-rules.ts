import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { lookupTargets, type Lookup } from '../../kernel/record/lookup/lookup.ts'
import type { CustomField } from './custom-field.ts'
import { references } from './types-of.ts'

type Rule = SerializedRule<CustomField>

/** The record types of the platform that a LOOKUP can name, as `lookupEntity` has them. */
const lookupEntities = lookupTargets.map((object) => object.toUpperCase())

export const lookupOf = ({
  lookupEntity,
  lookupObject,
  lookupDeleteBehavior,
  fieldType,
  isReparentable,
}: Pick<
  CustomField,
  'lookupEntity' | 'lookupObject' | 'lookupDeleteBehavior' | 'fieldType' | 'isReparentable'
>): Lookup => ({
  to: lookupObject ?? lookupEntity!.toLowerCase(),
  ...(fieldType === 'MASTER_DETAIL'
    ? { onDelete: 'CASCADE', isFixed: !isReparentable }
    : { onDelete: lookupDeleteBehavior ?? 'CLEAR' }),
})

/** References are always indexed. Those of a LOOKUP are cleared unless it says otherwise; a detail always has its masters. */
export function withLookup({ fieldType, lookupDeleteBehavior }: CustomField): Partial<CustomField> {
  if (fieldType === 'MASTER_DETAIL') return { isIndexed: true, isRequired: true }
  return fieldType === 'LOOKUP' ? { isIndexed: true, lookupDeleteBehavior: lookupDeleteBehavior ?? 'CLEAR' } : {}
}

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

/** The problems of a reference that follow from it alone. */
export function lookupProblems(field: CustomField): FieldProblem[] {
  const { fieldType, lookupEntity, lookupObject, lookupDeleteBehavior, isRequired, defaultValue } = field
  if (!references.includes(fieldType)) return []
  const problems = fieldType === 'MASTER_DETAIL' ? masterProblems(field) : []
  if (defaultValue !== null)
    problems.push(problem('defaultValue', 'NOT_ALLOWED', `defaultValue is not for ${fieldType}.`))
  if (lookupEntity === null && lookupObject === null)
    problems.push(problem('lookupEntity', 'REQUIRED', `A ${fieldType} must have lookupEntity or lookupObject.`))
  if (lookupEntity !== null && lookupObject !== null)
    problems.push(problem('lookupObject', 'NOT_TOGETHER', 'lookupEntity and lookupObject must not be given together.'))
  if (lookupEntity !== null && !lookupEntities.includes(lookupEntity)) {
    const message = `lookupEntity must be one of ${lookupEntities.join(', ')}; the name of a custom object is lookupObject.`
    problems.push(problem('lookupEntity', 'NOT_ALLOWED', message))
  }
  if (lookupObject !== null && customObjectName(lookupObject) === null) {
    const message = 'lookupObject must be custom: and the name of a custom object.'
    problems.push(problem('lookupObject', 'WRONG_FORMAT', message))
  }
  if (fieldType === 'LOOKUP' && isRequired && lookupDeleteBehavior !== 'RESTRICT') {
    const message =
      'lookupDeleteBehavior of a required LOOKUP must be RESTRICT, because CLEAR would take the value away.'
    problems.push(problem('lookupDeleteBehavior', 'NOT_ALLOWED', message))
  }
  return problems
}

/** The problems of a MASTER_DETAIL besides those of every reference. */
function masterProblems({ entity, isActive }: CustomField): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (customObjectName(entity) === null)
    problems.push(problem('fieldType', 'NOT_ALLOWED', 'MASTER_DETAIL is for fields of custom objects only.'))
  if (!isActive)
    problems.push(problem('isActive', 'NOT_ALLOWED', 'A MASTER_DETAIL is always in use; it decides who sees records.'))
  return problems
}

const appears = (next: CustomField, previous: CustomField | null): boolean =>
  references.includes(next.fieldType) && next.deletedAt === null && previous?.deletedAt !== null

/** A reference is added, and restored, while the custom object that it names exists. */
export const lookedUpObjectExists: Rule = {
  concerns: (_ctx, next, previous) => appears(next, previous) && next.lookupObject !== null,
  async enforce({ db, caller }, { lookupObject }) {
    const found = await db.query(
      `select 1 from extensions.custom_object where organization_id = $1 and name = $2 and deleted_at is null`,
      [caller.organizationId, customObjectName(lookupObject!)],
    )
    if (found.length > 0) return []
    const message = 'lookupObject must be custom: and the name of a custom object of the organization.'
    return [problem('lookupObject', 'UNKNOWN_REFERENCE', message)]
  },
}
