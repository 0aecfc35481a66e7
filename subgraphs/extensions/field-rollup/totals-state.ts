import type { CustomField } from '../custom-field/custom-field.ts'

type WithConfig = Pick<CustomField, 'isActive' | 'rollupConfig' | 'deletedAt'>

/** Whether writes add to the totals of the field, or write the values of which it is the least or the greatest. */
export const isRolledUp = ({ isActive, rollupConfig, deletedAt }: WithConfig): boolean =>
  deletedAt === null && isActive && rollupConfig !== null

/** Nothing is added to the totals of a field that is not in use, so reads must not use them when it is again. */
export const totalsAfter = (next: CustomField): Partial<CustomField> => (isRolledUp(next) ? {} : { hasTotals: false })
