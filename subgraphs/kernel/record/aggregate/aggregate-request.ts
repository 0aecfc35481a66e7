import { invalid, type FieldProblem } from '../../errors.ts'
import type { Caller } from '../../context.ts'
import type { Column } from '../column.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { fieldNotReadable, isHidden } from '../field-security.ts'
import { isTime } from './aggregate-columns.ts'
import type { AggregateArgs, AggregateSort } from './aggregate-types.ts'
import type { DateUnit } from './date-unit.ts'

export const figureNames = ['sum', 'average', 'min', 'max'] as const
export type FigureName = (typeof figureNames)[number]

export interface RequestedKey {
  readonly column: Column
  /** The length of the periods; null for other values than times. */
  readonly unit: DateUnit | null
}

/** A column over which figures are computed. */
export interface Measured {
  readonly column: Column
  /** Whether its values are in the currency of the record. */
  readonly isAmount: boolean
  /** Whether its sum and the number of its values are needed, its smallest and its largest value. */
  readonly isSummed: boolean
  readonly isLowest: boolean
  readonly isHighest: boolean
}

/** An aggregate whose columns exist and can be read by the caller. */
export interface AggregateRequest {
  readonly keys: readonly RequestedKey[]
  readonly measured: readonly Measured[]
  /** For each figure the positions in `measured`, as requested. */
  readonly figures: Readonly<Record<FigureName, readonly number[]>>
  readonly sortBy: AggregateSort
  readonly isDescending: boolean
  readonly limit: number
}

interface Named {
  readonly path: string
  readonly name: string
}

function keyProblems({ groupBy }: AggregateArgs, definition: RecordShape): FieldProblem[] {
  const given = groupBy ?? []
  return given.flatMap(({ field, by }, index): FieldProblem[] => {
    const path = `groupBy.${index}`
    const isOfTime = isTime(columnOf(definition, field))
    if (isOfTime && !by)
      return [{ path, code: 'REQUIRED', message: `${path} must name a period, because ${field} is a time.` }]
    if (!isOfTime && by)
      return [{ path, code: 'NOT_ALLOWED', message: `${path} must not name a period, because ${field} is no time.` }]
    const isRepeated = given.slice(0, index).some((other) => other.field === field && other.by === by)
    return isRepeated ? [{ path, code: 'REPEATED', message: `${path} must not repeat another field.` }] : []
  })
}

const sortedFigure: Readonly<Partial<Record<AggregateSort, FigureName>>> = {
  SUM: 'sum',
  AVERAGE: 'average',
  MIN: 'min',
  MAX: 'max',
}

/** The figure by which the groups are ordered; null if it is none of them. */
export const figureOfSort = (sortBy: AggregateSort): FigureName | null => sortedFigure[sortBy] ?? null

function sortProblems(args: AggregateArgs, sortBy: AggregateSort): FieldProblem[] {
  const figure = figureOfSort(sortBy)
  if (!figure || args[figure]?.length) return []
  const message = `sortBy must be a figure that is requested: ${figure} names no field.`
  return [{ path: 'sortBy', code: 'NOT_REQUESTED', message }]
}

/** The columns that decide in which currency and at which rate an amount counts. */
const amountParts = ({ amounts }: RecordShape): string[] =>
  amounts ? [amounts.currency, amounts.ratedOn, amounts.ratedOnlyIf].filter((name) => name !== undefined) : []

/** Refuses what cannot be asked, and with 403 what the caller may not read. */
export function requestOf(caller: Caller, definition: RecordShape, args: AggregateArgs): AggregateRequest {
  const sortBy = args.sortBy ?? 'KEY'
  const named: Named[] = [
    ...(args.groupBy ?? []).map(({ field }, index) => ({ path: `groupBy.${index}`, name: field })),
    ...figureNames.flatMap((figure) =>
      (args[figure] ?? []).map((name, index) => ({ path: `${figure}.${index}`, name })),
    ),
  ]
  const amounts = definition.amounts?.columns ?? []
  // The rate of an amount depends on other columns of the record, so that a sum would disclose them.
  const isRateHidden = amountParts(definition).some((name) => isHidden(caller, definition, name))
  const hidden = named.filter(
    ({ name }) => isHidden(caller, definition, name) || (isRateHidden && amounts.includes(name)),
  )
  if (hidden.length > 0) throw fieldNotReadable(hidden.map(({ path }) => path))
  const problems = [...keyProblems(args, definition), ...sortProblems(args, sortBy)]
  if (problems.length > 0) throw invalid(...problems)

  const names = [...new Set(figureNames.flatMap((figure) => args[figure] ?? []))]
  const has = (figure: FigureName, name: string): boolean => args[figure]?.includes(name) ?? false
  const measured = names.map((name) => ({
    column: columnOf(definition, name),
    isAmount: amounts.includes(name),
    isSummed: has('sum', name) || has('average', name),
    isLowest: has('min', name),
    isHighest: has('max', name),
  }))
  const positions = (figure: FigureName): number[] => (args[figure] ?? []).map((name) => names.indexOf(name))
  return {
    keys: (args.groupBy ?? []).map(({ field, by }) => ({ column: columnOf(definition, field), unit: by ?? null })),
    measured,
    figures: { sum: positions('sum'), average: positions('average'), min: positions('min'), max: positions('max') },
    sortBy,
    isDescending: (args.sortOrder ?? (sortBy === 'KEY' ? 'ASC' : 'DESC')) === 'DESC',
    limit: args.limit ?? 100,
  }
}
