import type { CustomField } from '../custom-field/custom-field.ts'

type Indexed = Pick<CustomField, 'isActive' | 'isIndexed' | 'isUnique' | 'deletedAt'>

/** Whether the index of values has the field; every write of a record then writes its row. */
export const isInIndex = ({ isActive, isIndexed, isUnique, deletedAt }: Indexed): boolean =>
  deletedAt === null && isActive && (isIndexed || isUnique)

/** Rows of a field that leaves the index are no longer written, so lists must not read them. */
export const indexAfter = (next: CustomField): Partial<CustomField> => (isInIndex(next) ? {} : { hasIndex: false })
