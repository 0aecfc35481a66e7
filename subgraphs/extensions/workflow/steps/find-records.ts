import { readScopeOfObject } from '../../../kernel/acting-scopes.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { objectNamed, shapeOf, type WorkflowObject } from '../objects.ts'
import { objectArgument, read } from './graph-call.ts'
import { objectProblems, objectSchema } from './record-values.ts'
import { orOutput, problemAt, settings, type Config, type StepType } from './step-type.ts'

const limitDefault = 20

/** The columns that a query can select without naming parts of them. */
const plainColumns = (object: WorkflowObject): string[] =>
  shapeOf(object)
    .columns.shown.filter(({ structure }) => !structure)
    .map(({ name }) => name)

function fieldsOf(config: Config, object: WorkflowObject): string[] {
  const { fields } = config
  return [
    'id',
    ...(Array.isArray(fields) ? (fields as string[]) : plainColumns(object)).filter((name) => name !== 'id'),
  ]
}

export const findRecords: StepType = {
  type: 'FIND_RECORDS',
  schema: settings(
    {
      object: objectSchema,
      filter: { type: 'object' },
      orderBy: settings({ field: { type: 'string', maxLength: 64 }, direction: { enum: ['ASC', 'DESC'] } }, ['field']),
      limit: orOutput({ type: 'integer', minimum: 1, maximum: 100 }),
      fields: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', maxLength: 64 } },
    },
    ['object'],
  ),
  scopes: ({ object }) => (objectNamed(object) ? [readScopeOfObject(objectNamed(object)!.object)] : []),
  isRepeatable: () => true,
  problems(check) {
    const wrong = objectProblems(check)
    if (wrong.length > 0) return wrong
    const { fields, orderBy } = check.config
    const known = new Set(plainColumns(objectNamed(check.config['object'])!))
    const problems = (Array.isArray(fields) ? (fields as string[]) : []).flatMap((name, index) =>
      known.has(name)
        ? []
        : [problemAt(`${check.path}.fields.${index}`, 'UNKNOWN_FIELD', 'must be a field without parts of its own')],
    )
    if (isJsonObject(orderBy) && !known.has(String(orderBy['field'])))
      problems.push(problemAt(`${check.path}.orderBy.field`, 'UNKNOWN_FIELD', 'must be a field of the type'))
    return problems
  },
  run(run) {
    const object = objectNamed(run.config['object'])!
    const { filter = null, orderBy, limit = limitDefault } = run.input
    const { type, operations } = object
    const { declared, given, variables: named } = objectArgument(object)
    const document = `query (${declared}$filter: ${type}Filter, $orderBy: [${type}Order!], $first: Int) {
      result: ${operations}Connection(${given}filter: $filter, orderBy: $orderBy, first: $first) { edges { node { ${fieldsOf(run.config, object).join(' ')} } } }
    }`
    const variables = { ...named, filter, orderBy: orderBy === undefined ? null : [orderBy], first: limit }
    return read(run, document, variables, (result) => {
      const records = (result as { edges: { node: unknown }[] }).edges.map(({ node }) => node)
      return { count: records.length, records }
    })
  },
}
