import type { Column } from '../column.ts'

/** How the amounts of a record type are converted into the base currency. */
export interface AmountsShape {
  /** The columns whose values are in the currency of the record. */
  readonly columns: readonly string[]
  /** The column with that currency. */
  readonly currency: string
  /** The timestamp whose day gives the rate. Without it, and for a record without a value in it, the rate of today applies. */
  readonly ratedOn?: string
  /** A boolean column: while it is false, the rate of today applies. */
  readonly ratedOnlyIf?: string
}

/** `AmountsShape` with names that the compiler checks. */
export interface Amounts<T> extends AmountsShape {
  readonly columns: readonly (keyof T & string)[]
  readonly currency: keyof T & string
  readonly ratedOn?: keyof T & string
  readonly ratedOnlyIf?: keyof T & string
}

/** Texts of at most this length are groups of their own also without an index. */
export const shortTextMax = 100

/** They are the same in every record that a caller can see, or different in each. */
const neverGrouped: ReadonlySet<string> = new Set(['id', 'organizationId', 'deletedAt'])

export const isTime = ({ kind }: Pick<Column, 'kind'>): boolean => kind === 'timestamp' || kind === 'date'

/** As the values of the type TEXT, which organizations choose for what is short. */
const shortCustomTextMax = 255

const isShortText = ({ kind, max, indexed, custom, formula, valueIndex }: Column): boolean => {
  if (kind !== 'text') return false
  if (custom !== undefined || formula !== undefined)
    return formula !== undefined || valueIndex !== undefined || (max !== undefined && max <= shortCustomTextMax)
  return indexed === true || (max !== undefined && max <= shortTextMax)
}

/** Whether records can be grouped by the values: enumerations, flags, ids, times, and texts that are short or have an index. */
export const isGroupable = (column: Column): boolean =>
  !neverGrouped.has(column.name) &&
  (['enum', 'boolean', 'id'].includes(column.kind) || isTime(column) || isShortText(column))

/** Whether the values can be added up. */
export const isNumber = ({ kind, name }: Pick<Column, 'kind' | 'name'>): boolean =>
  ['integer', 'number', 'money'].includes(kind) && name !== 'version'

/** Whether there is a smallest and a largest value. */
export const hasRange = (column: Column): boolean => isNumber(column) || (isTime(column) && column.name !== 'deletedAt')

/** The columns by whose values records can be grouped. */
export const groupableColumns = (columns: readonly Column[]): Column[] => columns.filter(isGroupable)

/** The columns that can be added up. */
export const numberColumns = (columns: readonly Column[]): Column[] => columns.filter(isNumber)

/** The columns that have a smallest and a largest value. */
export const rangeColumns = (columns: readonly Column[]): Column[] => [
  ...numberColumns(columns),
  ...columns.filter((column) => isTime(column) && column.name !== 'deletedAt'),
]
