import { organizationSource } from './aggregate/organization-facts.ts'
import type { Column } from './column.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { namedRecordOf, recordFieldOf } from './named-records.ts'
import { recordNamed } from './record-registry.ts'

/** A column with the id of a record, by which formulas read fields of that record: `account` for `accountId`, `customFields.site` for a lookup. */
export interface FormulaRelation {
  readonly column: Column
  /** The record type of the other record; `user` for users. */
  readonly object: string
}

const userObject = 'user'

/** The record type that a relation leads to, without custom fields; null where there is none. */
export const relatedShape = (object: string): RecordShape | null =>
  object === userObject ? organizationSource().users : recordNamed(object)

type Shape = Pick<RecordShape, 'entity' | 'columns' | 'relations'>

/**
 * The relation with this name: one that filters follow, a user, a record that the class declares with `NamesRecord`, or that of the custom field with this
 * name, if it is a lookup.
 */
export function relationNamed(shape: Shape, name: string, custom?: Column): FormulaRelation | null {
  if (custom) return custom.lookup ? { column: custom, object: custom.lookup.to } : null
  const relation = Object.hasOwn(shape.relations ?? {}, name) ? shape.relations![name]! : null
  if (relation?.by) return { column: columnOf(shape as RecordShape, relation.by), object: relation.to().object }
  const column = shape.columns.ids.find(
    ({ name: id, user, internal }) => !internal && (user ? user.field === name : recordFieldOf(id) === name),
  )
  if (!column) return null
  const object = column.user ? userObject : namedRecordOf(shape.entity, column.name)
  return object === null ? null : { column, object }
}
