import { readScopeOfObject, writeScopeOfObject } from '../../kernel/acting-scopes.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { publishDefinitions, withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isDerived } from '../../kernel/record/column.ts'
import { customFieldKey, customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape, SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { isSettable } from '../../kernel/record/typed-values.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mappingProblems, type NameCheck } from '../../kernel/template/mapping.ts'
import { isExtendedType, objectOfType, shapeOfType, type ExtendedType } from '../extended-type.ts'
import { mappingCharactersMax, mappingEntriesMax, type CustomAction } from './custom-action.ts'

type Mapped = Pick<CustomAction, 'inputMapping' | 'outputMapping'>

const names = ['inputMapping', 'outputMapping'] as const
const shownLength = 64

const problem = (path: string, code: string, rule: string): FieldProblem => ({
  path,
  code,
  message: `${path} must ${rule}.`,
})

/** What is wrong with mappings whatever fields the record types have. */
export function mappingFormProblems(next: CustomAction): FieldProblem[] {
  const problems = names.flatMap((path) => {
    const mapping: unknown = next[path]
    if (mapping === null) return []
    if (!isJsonObject(mapping)) return [problem(path, 'WRONG_TYPE', 'be an object')]
    if (Object.keys(mapping).length > mappingEntriesMax)
      return [problem(path, 'TOO_MANY', `have at most ${mappingEntriesMax} names`)]
    return JSON.stringify(mapping).length > mappingCharactersMax
      ? [problem(path, 'TOO_LONG', `have at most ${mappingCharactersMax} characters as JSON`)]
      : []
  })
  const { outputMapping, kind, objectTypes } = next
  if (outputMapping !== null && kind === 'READ')
    problems.push(
      problem('outputMapping', 'NOT_TOGETHER', 'be null while kind is READ: such an action changes nothing'),
    )
  if (outputMapping !== null && objectTypes.length === 0)
    problems.push(problem('outputMapping', 'NOT_TOGETHER', 'be null while objectTypes is empty'))
  return problems
}

function isReadable({ columns }: RecordShape, name: string, key: string | undefined): boolean {
  if (name === customFieldsName) return key !== undefined && columns.byName.has(customFieldName(key))
  const column = columns.byName.get(name)
  return column !== undefined && !column.internal && column.key === undefined
}

function isWritable(shape: RecordShape, name: string): boolean {
  if (customFieldKey(name) === null) return name !== customFieldsName && isSettable(shape, name, 'UPDATE')
  const column = shape.columns.byName.get(name)
  return column !== undefined && !isDerived(column)
}

const ofRecord =
  (shapes: readonly RecordShape[]): NameCheck =>
  ([root, name = '', key], path) => {
    if (root !== 'record') return problem(path, 'UNKNOWN_FIELD', 'name fields of the record only, as {{record.name}}')
    if (shapes.length === 0) return problem(path, 'NOT_TOGETHER', 'name no field while objectTypes is empty')
    const other = shapes.find((shape) => !isReadable(shape, name, key))
    return other ? problem(path, 'UNKNOWN_FIELD', `name a field of ${other.object}`) : null
  }

const ofOutput =
  ({ properties, additionalProperties }: Readonly<Record<string, unknown>>): NameCheck =>
  ([root, name], path) => {
    const isKnown =
      name === undefined ||
      additionalProperties !== false ||
      (isJsonObject(properties) && Object.hasOwn(properties, name))
    return root === 'output' && isKnown
      ? null
      : problem(path, 'UNKNOWN_FIELD', 'name properties of the output only, as {{output.stock}}')
  }

function inputProblems({ inputMapping, inputSchema }: CustomAction, shapes: readonly RecordShape[]): FieldProblem[] {
  const { properties } = inputSchema
  return Object.entries(inputMapping ?? {}).flatMap(([name, value]) => {
    const path = `inputMapping.${name.slice(0, shownLength)}`
    return isJsonObject(properties) && Object.hasOwn(properties, name)
      ? mappingProblems(value, path, ofRecord(shapes))
      : [problem(path, 'UNKNOWN_FIELD', 'be one of the properties of inputSchema')]
  })
}

const outputProblems = ({ outputMapping, outputSchema }: CustomAction, shapes: readonly RecordShape[]) =>
  Object.entries(outputMapping ?? {}).flatMap(([name, value]): FieldProblem[] => {
    const path = `outputMapping.${name.slice(0, shownLength)}`
    const other = shapes.find((shape) => !isWritable(shape, name))
    return other
      ? [problem(path, 'UNKNOWN_FIELD', `be a field of ${other.object} that can be changed`)]
      : mappingProblems(value, path, ofOutput(outputSchema))
  })

export const hasMappings = ({ inputMapping, outputMapping }: Mapped): boolean =>
  inputMapping !== null || outputMapping !== null

const decisive = [...names, 'objectTypes', 'inputSchema', 'outputSchema'] as const
const problemsMax = 20

/** What mappings name exists when they are written; a custom field that they name is not deleted. */
export const mappingsFit: SerializedRule<CustomAction> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt && hasMappings(next) && decisive.some((name) => !isSameValue(next[name], previous?.[name])),
  before: publishDefinitions,
  async enforce(ctx, next) {
    const latest = await withLatestExtensions(ctx)
    // Another rule says that a custom object does not exist.
    const shapes = next.objectTypes.flatMap((type) => (isExtendedType(type) ? (shapeOfType(latest, type) ?? []) : []))
    return [...inputProblems(next, shapes), ...outputProblems(next, shapes)].slice(0, problemsMax)
  },
}

/** The scopes with which a run on a record of the type reads and changes it. */
export const mappingScopes = ({ inputMapping, outputMapping }: Mapped, type: ExtendedType): string[] => [
  ...(inputMapping ? [readScopeOfObject(objectOfType(type))] : []),
  ...(outputMapping ? [writeScopeOfObject(objectOfType(type))] : []),
]

/** The scopes with which its runs act, of the action with this name. */
export async function scopesOfNamedAction({ db, caller }: RequestContext, apiName: string): Promise<string[]> {
  const rows = await db.query<Mapped & { objectTypes: ExtendedType[] } & Record<string, unknown>>(
    `select input_mapping as "inputMapping", output_mapping as "outputMapping", object_types as "objectTypes"
     from extensions.custom_action where organization_id = $1 and api_name = $2 and deleted_at is null`,
    [caller.organizationId, apiName],
  )
  return rows.flatMap((row) => row.objectTypes.flatMap((type) => mappingScopes(row, type)))
}
