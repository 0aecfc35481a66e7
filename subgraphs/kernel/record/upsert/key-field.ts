import { invalid, type FieldProblem } from '../../errors.ts'
import { exactNumberOf, isExactNumber, textOfNumber } from '../../json/exact-number.ts'
import { noteColumns } from '../note-fields.ts'
import type { RequestContext } from '../../request.ts'
import type { Column } from '../column.ts'
import { customFieldKey, customFieldsName } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { requireReadable } from '../field-security.ts'
import { isStorable } from '../scalars.ts'

/** The field by which records are found if none is named. */
export const externalIdName = 'externalId'
/** Maximum characters of the value of a key. */
export const keyMax = 255

/** A field whose values belong to one live record each: the external id, or a unique custom field that is in use. */
export interface KeyField {
  /** Its name in values, `externalId` or `customFields.<name>`. */
  readonly name: string
  readonly column: Column
}

/** The field with this name, if it is a key of the record type. A custom field is named with `customFields.` or without. */
export function keyFieldNamed({ columns: { byName, customFields } }: RecordShape, field: string): KeyField | null {
  const isExternalId = field === externalIdName && byName.has(externalIdName)
  const column = isExternalId ? byName.get(field) : customFields.get(customFieldKey(field) ?? field)
  const isKey = isExternalId || (column?.valueIndex?.isReady === true && Boolean(column.valueIndex.unique))
  return column && isKey ? { name: column.name, column } : null
}

/** The field that a caller names; 400 if it is no key, 403 if the caller may not read it. */
export function keyFieldOf(ctx: RequestContext, definition: RecordShape, field: string): KeyField {
  const { caller } = ctx
  const key = keyFieldNamed(definition, field)
  if (!key) {
    const message = `field must be ${externalIdName} or the name of a unique custom field.`
    throw invalid({ path: 'field', code: 'NOT_A_KEY', message })
  }
  requireReadable(caller, definition, key.name)
  noteColumns(ctx, definition, [key.column.name])
  return key
}

const isNumber = ({ valueIndex }: Column): boolean => valueIndex?.unique === 'NUMBER'

/** The value of a key as it is compared and stored, without white space around it; a problem if no record can have it. */
export function keyValueOf({ name, column }: KeyField, value: unknown, path: string): string | FieldProblem {
  const text = typeof value === 'string' ? value.trim() : isExactNumber(value) ? textOfNumber(value) : ''
  const problem = (code: string, message: string): FieldProblem => ({ path, code, message })
  if (text === '') return problem('REQUIRED', `${path} must have a value.`)
  if (Array.from(text).length > keyMax || !isStorable(text))
    return problem('TOO_LONG', `${path} must have at most ${keyMax} characters that can be stored.`)
  if (isNumber(column) && exactNumberOf(text) === null)
    return problem('WRONG_TYPE', `${path} must be a number, as ${name} is.`)
  return text
}

/** The value in the JSON of custom fields: a number, or the text. */
export const jsonOfKey = ({ column }: KeyField, text: string): unknown =>
  isNumber(column) ? exactNumberOf(text) : text

/** What the input has in the key field; undefined if it does not name the field. */
export function givenKey({ column }: KeyField, input: object): unknown {
  const values = input as Readonly<Record<string, unknown>>
  if (column.key === undefined) return values[column.name]
  const custom = values[customFieldsName] as Readonly<Record<string, unknown>> | null | undefined
  return custom && Object.hasOwn(custom, column.key) ? custom[column.key] : undefined
}

/** The input without the key field. */
export function withoutKey({ column }: KeyField, input: object): Readonly<Record<string, unknown>> {
  const values = { ...(input as Record<string, unknown>) }
  if (column.key === undefined) delete values[column.name]
  else if (values[customFieldsName]) {
    const { [column.key]: _, ...others } = values[customFieldsName] as Record<string, unknown>
    values[customFieldsName] = others
  }
  return values
}

/** The input with the value in the key field. */
export function withKey(key: KeyField, input: Readonly<Record<string, unknown>>, text: string): object {
  const { column } = key
  if (column.key === undefined) return { ...input, [column.name]: text }
  return {
    ...input,
    [customFieldsName]: {
      ...(input[customFieldsName] as object | null | undefined),
      [column.key]: jsonOfKey(key, text),
    },
  }
}
