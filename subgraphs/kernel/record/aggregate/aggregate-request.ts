import { invalid, invalidFields, type FieldProblem } from '../../errors.ts'
import type { Caller } from '../../context.ts'
import type { Column } from '../column.ts'
import { customFieldKey, customFieldName } from '../custom-field-column.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { fieldNotReadable, isHidden } from '../field-security.ts'
import { hasRange, isGroupable, isNumber, isTime } from './aggregate-columns.ts'
import { measuresMax, type AggregateArgs, type AggregateSort, type GroupByInput } from './aggregate-types.ts'
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

interface GivenKey {
  readonly field: string
  readonly by: DateUnit | null
}

function keyOf({ field = null, customField = null, by = null }: GroupByInput, index: number): GivenKey {
  const path = `groupBy.${index}`
  if (field !== null && customField !== null)
    throw invalid({ path, code: 'NOT_ALLOWED', message: `${path} must name a field or a custom field, not both.` })
  const name = customField === null ? field : customFieldName(customField)
  if (name === null) throw invalid({ path, code: 'REQUIRED', message: `${path} must name a field or a custom field.` })
  return { field: name, by }
}

type GivenFigures = Readonly<Record<FigureName, readonly string[]>>

/** The names of the columns of each figure: fields of the type, then custom fields. */
function figuresIn(args: AggregateArgs): GivenFigures {
  const namesOf = (figure: FigureName): string[] => {
    const custom = args[`${figure}OfCustomFields`] ?? []
    const names = [...(args[figure] ?? []), ...custom.map(customFieldName)]
    if (custom.length === 0 || names.length <= measuresMax) return names
    const message = `${figure} must have at most ${measuresMax} items, together with those of custom fields.`
    throw invalid({ path: figure, code: 'TOO_MANY', message })
  }
  return { sum: namesOf('sum'), average: namesOf('average'), min: namesOf('min'), max: namesOf('max') }
}

/** Custom fields that the organization does not have, that the profile hides, or whose values have no such figure. */
function customFieldProblems(
  caller: Caller,
  definition: RecordShape,
  keys: readonly GivenKey[],
  figures: GivenFigures,
): FieldProblem[] {
  const problem = (name: string, fits: (column: Column) => boolean, code: string, what: string): FieldProblem[] => {
    if (customFieldKey(name) === null) return []
    const column = definition.columns.byName.get(name)
    if (!column || isHidden(caller, definition, name)) {
      const message = `${name} is no custom field of the ${definition.object}.`
      return [{ path: name, code: 'UNKNOWN_FIELD', message }]
    }
    return fits(column) ? [] : [{ path: name, code, message: `${name} ${what}.` }]
  }
  return [
    ...keys.flatMap(({ field }) =>
      problem(field, isGroupable, 'NOT_GROUPABLE', 'cannot be what groups have in common'),
    ),
    ...[...figures.sum, ...figures.average].flatMap((name) =>
      problem(name, isNumber, 'WRONG_TYPE', 'must be a number'),
    ),
    ...[...figures.min, ...figures.max].flatMap((name) =>
      problem(name, hasRange, 'WRONG_TYPE', 'must be a number or a time'),
    ),
  ]
}

function keyProblems(given: readonly GivenKey[], definition: RecordShape): FieldProblem[] {
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

function sortProblems(figures: GivenFigures, sortBy: AggregateSort): FieldProblem[] {
  const figure = figureOfSort(sortBy)
  if (!figure || figures[figure].length > 0) return []
  const message = `sortBy must be a figure that is requested: ${figure} names no field.`
  return [{ path: 'sortBy', code: 'NOT_REQUESTED', message }]
}

/** The columns that decide in which currency and at which rate an amount counts. */
const amountParts = ({ amounts }: RecordShape): string[] =>
  amounts ? [amounts.currency, amounts.ratedOn, amounts.ratedOnlyIf].filter((name) => name !== undefined) : []

/** Refuses what cannot be asked, and with 403 what the caller may not read. */
export function requestOf(caller: Caller, definition: RecordShape, args: AggregateArgs): AggregateRequest {
  const sortBy = args.sortBy ?? 'KEY'
  const keys = (args.groupBy ?? []).map(keyOf)
  const given = figuresIn(args)
  const unusable = customFieldProblems(caller, definition, keys, given)
  if (unusable.length > 0) throw invalidFields(...unusable)
  const named: Named[] = [
    ...keys.map(({ field }, index) => ({ path: `groupBy.${index}`, name: field })),
    ...figureNames.flatMap((figure) => given[figure].map((name, index) => ({ path: `${figure}.${index}`, name }))),
  ]
  const amounts = definition.amounts?.columns ?? []
  // The rate of an amount depends on other columns of the record, so that a sum would disclose them.
  const isRateHidden = amountParts(definition).some((name) => isHidden(caller, definition, name))
  const hidden = named.filter(
    ({ name }) => isHidden(caller, definition, name) || (isRateHidden && amounts.includes(name)),
  )
  if (hidden.length > 0) throw fieldNotReadable(hidden.map(({ path }) => path))
  const problems = [...keyProblems(keys, definition), ...sortProblems(given, sortBy)]
  if (problems.length > 0) throw invalid(...problems)

  const names = [...new Set(figureNames.flatMap((figure) => given[figure]))]
  const has = (figure: FigureName, name: string): boolean => given[figure].includes(name)
  const measured = names.map((name) => ({
    column: columnOf(definition, name),
    isAmount: amounts.includes(name),
    isSummed: has('sum', name) || has('average', name),
    isLowest: has('min', name),
    isHighest: has('max', name),
  }))
  const positions = (figure: FigureName): number[] => given[figure].map((name) => names.indexOf(name))
  return {
    keys: keys.map(({ field, by }) => ({ column: columnOf(definition, field), unit: by })),
    measured,
    figures: { sum: positions('sum'), average: positions('average'), min: positions('min'), max: positions('max') },
    sortBy,
    isDescending: (args.sortOrder ?? (sortBy === 'KEY' ? 'ASC' : 'DESC')) === 'DESC',
    limit: args.limit ?? 100,
  }
}
