import { requireActingScopes } from '../../../kernel/acting-scopes.ts'
import { invalid, type FieldProblem } from '../../../kernel/errors.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { columnKinds } from '../../../kernel/record/column-kind.ts'
import type { Column } from '../../../kernel/record/column.ts'
import { customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import type { FilterInput } from '../../../kernel/record/filter-input.ts'
import { hiddenParts } from '../../../kernel/record/field-security.ts'
import { readPage } from '../../../kernel/record/list.ts'
import { sortableColumns } from '../../../kernel/record/order-input.ts'
import { typedValue } from '../../../kernel/record/typed-values.ts'
import { objectNamed, shapeIn } from '../../workflow/objects.ts'
import { objectProblems, objectSchema } from '../../workflow/steps/record-values.ts'
import { recordsMax } from '../bounds.ts'
import { ElementFailure, faultConnector, orOutput, problemAt, settings, type ElementType } from './element-type.ts'
import { readScopes, requireShape } from './record-element.ts'

const limitDefault = 20

/** Columns that can be named: not those that only the platform knows. */
const readable = ({ columns }: RecordShape, name: string): Column | null => {
  const column = columns.byName.get(name)
  return column && !column.internal && column.key === undefined ? column : null
}

const texts: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith'])
const lists: ReadonlySet<string> = new Set(['in', 'notIn', 'hasAny', 'hasAll'])
const flags: ReadonlySet<string> = new Set(['isNull', 'isEmpty'])

/** The operand of a filter with the type of its column; undefined if it has another one. */
function operandOf(column: Column, operator: string, operand: unknown): unknown {
  if (flags.has(operator)) return typeof operand === 'boolean' ? operand : undefined
  if (texts.has(operator) || operator === 'has') return typeof operand === 'string' ? operand : undefined
  if (!lists.has(operator)) return operand === null ? undefined : typedValue(column, operand)
  if (!Array.isArray(operand) || operand.length > recordsMax) return undefined
  const one = (value: unknown): unknown =>
    column.kind === 'textList' ? (typeof value === 'string' ? value : undefined) : typedValue(column, value)
  const items = operand.map((value: unknown) => (value === null ? undefined : one(value)))
  return items.includes(undefined) ? undefined : items
}

/** A filter that names fields of the type itself; `isFilled`: its operands are values, no outputs. */
function checkedFilter(shape: RecordShape, filter: unknown, path: string, isFilled: boolean) {
  const problems: FieldProblem[] = []
  const checked: Record<string, unknown> = {}
  for (const [name, operators] of Object.entries(isJsonObject(filter) ? filter : {})) {
    const at = `${path}.${name.slice(0, 64)}`
    const column = readable(shape, name)
    if (name === customFieldsName && column && isJsonObject(operators)) {
      checked[name] = operators
      continue
    }
    if (!column || columnKinds[column.kind].operators.length === 0) {
      problems.push(problemAt(at, 'UNKNOWN_FIELD', `must be a field of ${shape.object} that can be compared`))
      continue
    }
    if (!isJsonObject(operators)) {
      problems.push(problemAt(at, 'WRONG_TYPE', 'must be an object of operators'))
      continue
    }
    const own: Record<string, unknown> = {}
    for (const [operator, operand] of Object.entries(operators)) {
      const place = `${at}.${operator.slice(0, 64)}`
      if (!columnKinds[column.kind].operators.includes(operator))
        problems.push(
          problemAt(place, 'UNKNOWN_FIELD', `must be one of ${columnKinds[column.kind].operators.join(', ')}`),
        )
      else if (isFilled) {
        const value = operandOf(column, operator, operand)
        if (value === undefined) problems.push(problemAt(place, 'WRONG_TYPE', 'must be a value of the field'))
        else own[operator] = value
      }
    }
    checked[name] = own
  }
  return { filter: checked as FilterInput, problems }
}

/** Reads nothing of what the profile of the caller hides: such fields are null, and cannot be compared. */
export const getRecords: ElementType = {
  type: 'GET_RECORDS',
  schema: settings(
    {
      object: objectSchema,
      filter: { type: 'object', maxProperties: 20 },
      orderBy: settings({ field: { type: 'string', maxLength: 64 }, direction: { enum: ['ASC', 'DESC'] } }, ['field']),
      limit: orOutput({ type: 'integer', minimum: 1, maximum: recordsMax }),
      fields: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', maxLength: 64 } },
    },
    ['object'],
  ),
  connectors: faultConnector,
  scopes: readScopes,
  problems({ ctx, config, path }) {
    const wrong = objectProblems({ ctx: ctx as never, step: null as never, config, path, triggerObject: null })
    if (wrong.length > 0) return wrong
    const shape = shapeIn(ctx.shapes, objectNamed(config['object'])!)!
    const { fields, orderBy, filter } = config
    const problems = (Array.isArray(fields) ? (fields as string[]) : []).flatMap((name, index) =>
      readable(shape, name)
        ? []
        : [problemAt(`${path}.fields.${index}`, 'UNKNOWN_FIELD', 'must be a field of the type')],
    )
    const sortable = sortableColumns(shape.entity).map(({ name }) => name)
    if (isJsonObject(orderBy) && !sortable.includes(String(orderBy['field'])))
      problems.push(problemAt(`${path}.orderBy.field`, 'NOT_SORTABLE', `must be one of ${sortable.join(', ')}`))
    return [...problems, ...checkedFilter(shape, filter, `${path}.filter`, false).problems]
  },
  async run({ ctx, config, input }) {
    const { shape } = requireShape(ctx, config)
    requireActingScopes(ctx.caller, readScopes(config))
    if (hiddenParts(ctx.caller, shape).length > 0)
      throw new ElementFailure('FIELD_NOT_READABLE', 'Your profile hides what these records consist of.')
    const { limit = limitDefault, orderBy, fields } = input
    if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > recordsMax)
      throw new ElementFailure('OUT_OF_RANGE', `limit must be an integer from 1 to ${recordsMax}.`)
    const { filter, problems } = checkedFilter(shape, input['filter'], 'filter', true)
    if (problems.length > 0) throw invalid(...problems)
    const shown = shape.columns.shown.map(({ name }) => name)
    const wanted = Array.isArray(fields) ? shown.filter((name) => fields.includes(name)) : shown
    const names = ['id', ...wanted.filter((name) => name !== 'id')]
    const order = isJsonObject(orderBy) ? [{ direction: 'ASC', ...orderBy }] : null
    const args = { filter, orderBy: order, limit: limit as number }
    const selected = { page: new Set<string>(), record: new Set(names), total: false }
    const { data } = await readPage(ctx, shape, args, selected)
    const records = data.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])))
    return { output: { count: records.length, records, record: records[0] ?? null } }
  },
}
