import type { FieldProblem } from '../../kernel/errors.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { CustomFieldType } from './custom-field.enumerations.ts'
import type { CustomField } from './custom-field.ts'
import { numbers, typesOf } from './types-of.ts'

const texts: readonly CustomFieldType[] = ['TEXT', 'TEXTAREA', 'EMAIL', 'PHONE', 'URL']

/** The types that a field can get. */
const reachable: Readonly<Partial<Record<CustomFieldType, readonly CustomFieldType[]>>> = {
  ...Object.fromEntries(texts.map((type) => [type, texts])),
  TEXT: [...texts, 'PICKLIST'],
  NUMBER: ['CURRENCY'],
  CURRENCY: ['NUMBER'],
  PICKLIST: ['TEXT', 'MULTI_PICKLIST'],
}

/** Every value of the first type is one of the second. */
const widenings: ReadonlySet<string> = new Set([
  'TEXT TEXTAREA',
  'EMAIL TEXT',
  'EMAIL TEXTAREA',
  'PHONE TEXT',
  'PHONE TEXTAREA',
  'URL TEXTAREA',
  'NUMBER CURRENCY',
  'CURRENCY NUMBER',
  'PICKLIST TEXT',
  'PICKLIST MULTI_PICKLIST',
])

/** The properties that a change of the type may change with it. */
const typed = ['fieldType', 'defaultValue', ...Object.keys(typesOf)] as readonly (keyof CustomField)[]

const isReachable = (from: CustomFieldType, to: CustomFieldType): boolean => reachable[from]?.includes(to) ?? false

/** The rows of the index have values in the form of the type. */
const hasOtherRows = (next: CustomField, previous: CustomField): boolean =>
  [next, previous].some(({ isIndexed, isUnique }) => isIndexed || isUnique) &&
  next.fieldType !== previous.fieldType &&
  !numbers.includes(next.fieldType)

export function typeChangeProblem(next: CustomField, previous: CustomField | null): FieldProblem | null {
  if (!previous) return null
  if (hasOtherRows(targetOf(next), previous)) {
    const message =
      'The type of an indexed or unique field does not change; set isIndexed and isUnique to false before, and to true after the change.'
    return { path: 'fieldType', code: 'NOT_ALLOWED', message }
  }
  if (next.fieldType === previous.fieldType || isReachable(previous.fieldType, next.fieldType)) return null
  const others = (reachable[previous.fieldType] ?? []).filter((type) => type !== previous.fieldType)
  const allowed = others.length > 0 ? `can become ${others.join(', ')}` : 'keeps its type'
  const message = `A ${previous.fieldType} ${allowed}; for ${next.fieldType}, add another field and write the values into it.`
  return { path: 'fieldType', code: 'NOT_ALLOWED', message }
}

const blank = (value: unknown): unknown => (Array.isArray(value) ? [] : typeof value === 'boolean' ? false : null)

/** The properties that the new type does not have, without their values, unless they are given. */
const withoutOthers = (next: CustomField, given: Partial<CustomField>): Partial<CustomField> =>
  Object.fromEntries(
    Object.entries(typesOf)
      .filter(([name, types]) => !(types as readonly string[]).includes(next.fieldType) && !(name in given))
      .map(([name]) => [name, blank(next[name as keyof CustomField])]),
  )

const isStricter = (next: CustomField, previous: CustomField): boolean =>
  !widenings.has(`${previous.fieldType} ${next.fieldType}`) ||
  (next.maxLength !== null && next.maxLength !== previous.maxLength) ||
  (next.pattern !== null && next.pattern !== previous.pattern)

/**
 * What a change of the type makes of a definition: where values of records may not fit the new type, the definition stays as it is, and what it is
 * to become is pending until they have been checked.
 */
export function afterTypeChange(
  next: CustomField,
  previous: CustomField | null,
  given: Partial<CustomField>,
): Partial<CustomField> {
  if (!previous || previous.pending || !isReachable(previous.fieldType, next.fieldType)) return {}
  if (next.fieldType === previous.fieldType) return {}
  const others = withoutOthers(next, given)
  const target = { ...next, ...others }
  if (!isStricter(target, previous)) return others
  const changed = typed.filter((name) => !isSameValue(target[name], previous[name]))
  const valuesOf = (field: CustomField): Partial<CustomField> =>
    Object.fromEntries(changed.map((name) => [name, field[name]]))
  return { ...valuesOf(previous), pendingType: target.fieldType, pending: valuesOf(target) }
}

/** The definition with what is pending. */
export const targetOf = (field: CustomField): CustomField =>
  field.pending ? { ...field, ...field.pending, pendingType: null, pending: null } : field

type Form = 'TEXT' | 'NUMBER' | 'PICKLIST' | 'MULTI_PICKLIST'

const formOf = ({ fieldType }: CustomField): Form | CustomFieldType => {
  if (texts.includes(fieldType)) return 'TEXT'
  return fieldType === 'CURRENCY' ? 'NUMBER' : fieldType
}

/** The operators of conditions on the field may differ. */
export const changesForm = (next: CustomField, previous: CustomField): boolean =>
  formOf(targetOf(next)) !== formOf(previous)
