import { invalid, invalidFields, type FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { Column } from '../../kernel/record/column.ts'
import { columnKinds } from '../../kernel/record/column-kind.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../../kernel/record/definition.ts'
import { rulesFor } from '../../kernel/record/duplicates/compiled-rules.ts'
import { findDuplicates, type Duplicates } from '../../kernel/record/duplicates/find-duplicates.ts'
import { customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import { customObjectName, recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedShapes } from '../named-shapes.ts'

type Fields = Readonly<Record<string, unknown>>

/** The duplicates of a record that the caller sees. */
export async function duplicatesOf(
  ctx: RequestContext,
  builtIn: RecordShape,
  id: string,
  limit: number,
): Promise<Duplicates> {
  const shape = shapeFor(ctx, builtIn) as RecordDefinition<StoredRow>
  const record = await requireRecord(ctx, shape, id)
  return findDuplicates(ctx, shape, rulesFor(ctx.caller, shape), {
    record: record as unknown as Fields,
    id: record.id,
    limit,
  })
}

/** The record types whose records can be duplicates: those that can be merged. */
const comparedShapes = (ctx: RequestContext): RecordShape[] =>
  recordTypeNamesIn(ctx)
    .map((object) => recordTypeIn(ctx, object)!)
    .filter(({ object, merge, objectColumn }) => merge && (!objectColumn || customObjectName(object) !== null))
    .map((shape) => shapeFor(ctx, shape))

interface Sought {
  readonly object: string
  readonly values: unknown
  readonly limit: number
}

/** The duplicates of a record that would have these values. */
export function duplicatesWith(ctx: RequestContext, { object, values, limit }: Sought): Promise<Duplicates> {
  const what = 'whose duplicates are found'
  const [shape] = namedShapes(ctx.caller, comparedShapes(ctx), { names: [object], path: 'object', what })
  const record = recordWith(shape! as RecordDefinition<StoredRow>, values)
  return findDuplicates(ctx, shape!, rulesFor(ctx.caller, shape!), { record, id: null, limit })
}

/** A record with these values, and what follows from them where they do not name it. */
function recordWith(definition: RecordDefinition<StoredRow>, values: unknown): Fields {
  if (!isJsonObject(values))
    throw invalid({
      path: 'values',
      code: 'WRONG_TYPE',
      message: 'values must be an object with values by the names of fields.',
    })
  const problems = Object.entries(values).flatMap(([name, value]) => problemsOf(definition, name, value))
  if (problems.length > 0) throw invalidFields(...problems)
  const record = { ...definition.columns.blank(), ...values }
  const calculated = definition.calculated?.(record as never, null, values as never, 'UTC')
  return { ...record, ...calculated, ...values }
}

function problemsOf({ object, columns }: RecordShape, name: string, value: unknown): FieldProblem[] {
  const path = `values.${name}`
  if (name === customFieldsName && columns.byName.has(name) && isJsonObject(value))
    return Object.entries(value).flatMap(([key, each]) => {
      const column = columns.customFields.get(key)
      if (column) return valueProblems(column, `${path}.${key}`, each)
      return columns.hasDefinedKeysOnly ? [unknown(object, `${path}.${key}`, customFieldName(key))] : []
    })
  const column = columns.byName.get(name)
  if (!column || column.internal || column.key !== undefined) return [unknown(object, path, name)]
  return valueProblems(column, path, value)
}

const unknown = (object: string, path: string, name: string): FieldProblem => ({
  path,
  code: 'UNKNOWN_FIELD',
  message: `${name} is no field of the ${object}.`,
})

function valueProblems({ kind, structure }: Column, path: string, value: unknown): FieldProblem[] {
  if (value === null || (!structure && columnKinds[kind].parse(value) !== undefined)) return []
  return [{ path, code: 'WRONG_TYPE', message: `${path} must be a value of the field.` }]
}
