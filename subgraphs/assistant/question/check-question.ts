import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { enumerationOf, type Column } from '../../kernel/record/column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import {
  conditionsMax,
  defaultMeasures,
  intents,
  isNumeric,
  isPlain,
  limitMax,
  operators,
  questionObjects,
  textMax,
  valuesMax,
  type Condition,
  type ConditionValue,
  type Intent,
  type Operator,
  type Question,
} from './question.ts'

type Raw = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value)
const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T =>
  (values as readonly unknown[]).includes(value)

/** A question whose fields, operators and values fit the record type. */
export interface CheckedQuestion extends Question {
  readonly limit: number
  readonly measure: string | null
  readonly groupBy: string | null
}

const known = new Set(['intent', 'object', 'filters', 'measure', 'groupBy', 'order', 'limit'])
const problem = (path: string, code: string, message: string): FieldProblem => ({
  path,
  code,
  message: `${path} ${message}`,
})

/** A plain field of the record type; another one is a problem. */
function plainColumn(shape: RecordShape, name: unknown, path: string, problems: FieldProblem[]): Column | null {
  const column = typeof name === 'string' ? shape.columns.byName.get(name) : undefined
  if (column && !column.internal && isPlain(column)) return column
  problems.push(problem(path, 'UNKNOWN_FIELD', `must be a plain field of ${shape.object}.`))
  return null
}

function fits(column: Column, value: unknown): boolean {
  const members = enumerationOf(column)
  if (members) return typeof value === 'string' && Object.hasOwn(members, value)
  if (isNumeric(column)) return typeof value === 'number' && Number.isFinite(value)
  if (column.kind === 'boolean') return typeof value === 'boolean'
  if (column.kind === 'timestamp' || column.kind === 'date')
    return typeof value === 'string' && value.length <= 40 && !Number.isNaN(Date.parse(value))
  return typeof value === 'string' && value.length <= textMax
}

const ordered: ReadonlySet<Operator> = new Set(['gt', 'gte', 'lt', 'lte'])
const isOrdered = (column: Column): boolean =>
  isNumeric(column) || column.kind === 'timestamp' || column.kind === 'date'

function condition(shape: RecordShape, raw: unknown, path: string, problems: FieldProblem[]): Condition | null {
  if (!isObject(raw)) {
    problems.push(problem(path, 'WRONG_TYPE', 'must be an object with field, operator and value.'))
    return null
  }
  const { operator, value } = raw
  const column = plainColumn(shape, raw['field'], `${path}.field`, problems)
  if (!isOneOf(operators, operator)) {
    problems.push(problem(`${path}.operator`, 'NOT_ALLOWED', `must be one of ${operators.join(', ')}.`))
    return null
  }
  if (!column) return null
  if ((ordered.has(operator) && !isOrdered(column)) || (operator === 'contains' && column.kind !== 'text')) {
    problems.push(problem(`${path}.operator`, 'NOT_ALLOWED', `must fit ${column.name}.`))
    return null
  }
  const values = operator === 'in' || operator === 'notIn' ? value : [value]
  const isFit =
    operator === 'isNull'
      ? typeof value === 'boolean'
      : Array.isArray(values) &&
        values.length > 0 &&
        values.length <= valuesMax &&
        values.every((one) => fits(column, one))
  if (isFit) return { field: column.name, operator, value: value as ConditionValue }
  problems.push(problem(`${path}.value`, 'WRONG_TYPE', `must be a value of ${column.name}.`))
  return null
}

function quotaQuestion(raw: Raw, problems: FieldProblem[]): CheckedQuestion {
  const filters = Array.isArray(raw['filters']) ? (raw['filters'] as unknown[]) : []
  const isUser = (one: unknown) =>
    isObject(one) && one['field'] === 'userId' && one['operator'] === 'eq' && typeof one['value'] === 'string'
  if (raw['intent'] !== 'SCORE') problems.push(problem('intent', 'NOT_ALLOWED', 'must be SCORE for quota.'))
  if (filters.length > 1 || !filters.every(isUser))
    problems.push(problem('filters', 'NOT_ALLOWED', 'must be empty, or one condition userId eq, for quota.'))
  const checked = filters as readonly Condition[]
  return { intent: 'SCORE', object: 'quota', filters: checked, measure: null, groupBy: null, order: null, limit: 10 }
}

/** Refuses with VALIDATION_FAILED and the path of every problem. */
export function checkQuestion(raw: unknown): CheckedQuestion {
  if (!isObject(raw)) throw invalid(problem('question', 'WRONG_TYPE', 'must be an object.'))
  const problems: FieldProblem[] = Object.keys(raw)
    .filter((name) => !known.has(name))
    .slice(0, 10)
    .map((name) => problem(name.slice(0, 100), 'UNKNOWN_FIELD', 'is not part of a question.'))
  const { intent, object } = raw
  if (!isOneOf(intents, intent))
    problems.push(problem('intent', 'NOT_ALLOWED', `must be one of ${intents.join(', ')}.`))
  const limit = raw['limit'] ?? 10
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > limitMax)
    problems.push(problem('limit', 'OUT_OF_RANGE', `must be an integer from 1 to ${limitMax}.`))
  const shape = isOneOf(questionObjects, object) ? recordNamed(object) : null
  if (object === 'quota') {
    const question = quotaQuestion(raw, problems)
    if (problems.length > 0) throw invalid(...problems)
    return question
  }
  if (!shape) {
    problems.push(problem('object', 'NOT_ALLOWED', `must be one of ${questionObjects.join(', ')}, quota.`))
    throw invalid(...problems)
  }
  const list = raw['filters'] ?? []
  if (!Array.isArray(list) || list.length > conditionsMax)
    problems.push(problem('filters', 'WRONG_TYPE', `must be a list of at most ${conditionsMax} conditions.`))
  const filters = (Array.isArray(list) ? (list as unknown[]) : [])
    .slice(0, conditionsMax)
    .flatMap((one, index) => condition(shape, one, `filters.${index}`, problems) ?? [])
  const parts = partsOf(shape, intent as Intent, raw, problems)
  const isOfOne = filters.filter(({ field, operator }) => field === 'id' && operator === 'eq').length === 1
  if ((intent === 'RECORD' || intent === 'TIMELINE' || intent === 'SCORE') && !isOfOne)
    problems.push(problem('filters', 'REQUIRED', `must contain the condition id eq for ${intent}.`))
  if (intent === 'SCORE' && object !== 'opportunity')
    problems.push(problem('object', 'NOT_ALLOWED', 'must be opportunity or quota for SCORE.'))
  if (problems.length > 0) throw invalid(...problems)
  return { intent: intent as Intent, object: shape.object, filters, ...parts, limit: limit as number }
}

function partsOf(shape: RecordShape, intent: Intent, raw: Raw, problems: FieldProblem[]) {
  const needsMeasure = intent === 'SUM' || intent === 'AVERAGE' || intent === 'TOP'
  const measure = raw['measure'] ?? (needsMeasure ? (defaultMeasures[shape.object] ?? '') : null)
  const measured = measure === null ? null : plainColumn(shape, measure, 'measure', problems)
  if (measured && !isNumeric(measured)) problems.push(problem('measure', 'NOT_ALLOWED', 'must be a number.'))
  const groupBy = raw['groupBy'] ?? (intent === 'GROUP' ? '' : null)
  const grouped = groupBy === null ? null : plainColumn(shape, groupBy, 'groupBy', problems)
  if (grouped?.kind === 'textList') problems.push(problem('groupBy', 'NOT_ALLOWED', 'must not be a list.'))
  const order = raw['order'] ?? null
  if (order !== null && (!isObject(order) || (order['direction'] !== 'ASC' && order['direction'] !== 'DESC')))
    problems.push(problem('order', 'WRONG_TYPE', 'must have a field and a direction ASC or DESC.'))
  const by = isObject(order) ? plainColumn(shape, order['field'], 'order.field', problems) : null
  const direction = isObject(order) ? (order['direction'] as 'ASC' | 'DESC') : 'DESC'
  return {
    measure: measured?.name ?? null,
    groupBy: grouped?.name ?? null,
    order: by ? { field: by.name, direction } : null,
  }
}
