import type { CustomField } from '../custom-field/custom-field.ts'
import { defaultOf } from '../custom-field/field-definition.ts'

type Indexed = Pick<CustomField, 'isActive' | 'isIndexed' | 'isUnique' | 'deletedAt'>

/** Whether the index of values has the field; every write of a record then writes its row. */
export const isInIndex = ({ isActive, isIndexed, isUnique, deletedAt }: Indexed): boolean =>
  deletedAt === null && isActive && (isIndexed || isUnique)

/** What a field is that leaves the index because its values do not allow it. */
export const unindexed = { isIndexed: false, isUnique: false, hasIndex: false } as const

/** A CHECKBOX has its default in the rows of the records that have no value. */
export const hasOtherDefault = (next: CustomField, previous: CustomField | null): boolean =>
  previous !== null && next.fieldType === 'CHECKBOX' && defaultOf(next) !== defaultOf(previous)

/** A formula has other values in the rows of records that no write has written since. */
export const hasOtherValues = ({ fieldType, hasValues }: CustomField): boolean => fieldType === 'FORMULA' && !hasValues

/** Lists must not read the rows of a field that leaves the index, because they are no longer written, nor those of another default or formula. */
export const indexAfter = (next: CustomField, previous: CustomField | null): Partial<CustomField> =>
  isInIndex(next) && !hasOtherDefault(next, previous) && !hasOtherValues(next) ? {} : { hasIndex: false }
