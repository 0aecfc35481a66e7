import type { Caller } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { enumerationOf, type Column } from '../../kernel/record/column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { readScope } from '../question/find-names.ts'
import { isPlain, questionObjects } from '../question/question.ts'

/** The record types that tools read. */
export const toolObjects: readonly string[] = questionObjects

export const objectParameter = { type: 'string', enum: toolObjects, description: 'The record type.' }

const resourceOf = (object: string): string => readScope(object).slice('READ_'.length)

export const requireRead = (caller: Caller, object: string): void =>
  requireScopes(caller, [[[`READ_${resourceOf(object)}`]]])
export const requireWrite = (caller: Caller, object: string): void => {
  requireScopes(caller, [[[`WRITE_${resourceOf(object)}`]]])
  if (caller.role === 'READ_ONLY')
    throw new Refusal('PERMISSION_DENIED', 'Your role READ_ONLY does not permit changes.')
}

/** The plain fields of a record type that the caller may read. */
export const readableColumns = (caller: Caller, shape: RecordShape): readonly Column[] =>
  shape.columns.shown.filter((column) => isPlain(column) && !isHidden(caller, shape, column.name))

/** A field as a tool describes it. */
export function fieldOf(column: Column): object {
  const members = enumerationOf(column)
  return { name: column.name, kind: column.kind, ...(members && { values: Object.keys(members) }) }
}

export const shapeOf = (object: string): RecordShape => recordType(object)()
export const typeOf = ({ entity }: RecordShape): string => (entity as { name: string }).name
/** The name of the query of one record, such as `account`. */
export const queryOf = (shape: RecordShape): string => {
  const type = typeOf(shape)
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`
}
