import type { Caller } from '../../kernel/context.ts'
import { isDerived } from '../../kernel/record/column.ts'
import { customFieldKey, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordDefinition, StoredRow } from '../../kernel/record/definition.ts'
import { isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { ChangedField } from './operation-events.ts'
import type { RecordPlan } from './record-plan.ts'
import type { NotUndone } from './undo.types.ts'

type Fields = Readonly<Record<string, unknown>>

/** What stays, besides where it is. */
export type Left = Omit<NotUndone, 'object' | 'recordId'>

export const left = (reason: string, message: string, field: string | null = null): Left => ({
  reason,
  message,
  field,
  changedById: null,
  changedAt: null,
})

/** Notes a conflict; with the field that has changed, it is found out who changed it. */
export type TellConflict = (one: Left, changed?: Pick<ChangedField, 'position' | 'field'>) => void

export function valueIn(record: Fields, field: string): unknown {
  const key = customFieldKey(field)
  if (key === null) return record[field]
  return (record[customFieldsName] as Fields | null | undefined)?.[key]
}

export const isSame = (one: unknown, other: unknown): boolean => isSameValue(one ?? null, other ?? null)

/** What gives the fields of a record back their values. */
export interface FieldsToSet {
  readonly values: Fields
  /** The names of the fields among the values. */
  readonly set: readonly string[]
  /** Those that only the platform sets: they follow from the others. */
  readonly followers: readonly string[]
}

/** Compares the fields of a record with the values that the operation gave them. Those that have another value since are conflicts. */
export function comparedFields(
  caller: Caller,
  { before, after, position }: RecordPlan,
  definition: RecordDefinition<StoredRow>,
  { current, conflict }: { readonly current: Fields; readonly conflict: TellConflict },
): FieldsToSet {
  const values: Record<string, unknown> = {}
  const custom: Record<string, unknown> = {}
  const set: string[] = []
  const followers: string[] = []
  for (const [field, value] of before) {
    const column = definition.columns.byName.get(field)
    const key = customFieldKey(field)
    // The column or the custom field does not exist any more.
    if (!column && (key === null || definition.columns.hasDefinedKeysOnly)) continue
    const now = valueIn(current, field)
    if (isSame(now, value)) continue
    const shown = isHidden(caller, definition, field) ? null : field
    if (column && (isDerived(column) || (column.writable ?? 'ALWAYS') !== 'ALWAYS')) {
      if (!column.internal) followers.push(field)
    } else if (!isSame(now, after.get(field))) {
      const message = `${shown ?? 'A field'} has another value than the operation gave it.`
      conflict(left('CHANGED', message, shown), { position, field })
    } else if (!mayWrite(caller, definition, field)) {
      conflict(left('REFUSED', `Your profile does not let you change ${shown ?? 'a field'}.`, shown))
    } else {
      if (key === null) values[field] = value
      else custom[key] = value
      set.push(field)
    }
  }
  if (Object.keys(custom).length > 0) values[customFieldsName] = custom
  return { values, set, followers }
}
