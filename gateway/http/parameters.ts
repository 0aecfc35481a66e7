import { invalid, type FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { isJsonObject as isMap } from '../../subgraphs/kernel/json/exact-number.ts'
import { invalidValuesIn, type Bounds } from '../edge/invalid-values.ts'
import type { Variables } from '../graph/variable-values.ts'

/** A GraphQL request whose members have the right types. Unknown members are ignored. */
export interface Parameters {
  /** Null only if the request names a persisted query. */
  readonly query: string | null
  readonly operationName: string | null
  readonly variables: Variables
  readonly extensions: Readonly<Record<string, unknown>>
}

const nothing = Object.freeze({})

export function readParameters(body: unknown): Parameters {
  if (Array.isArray(body)) {
    throw invalid({
      path: '',
      code: 'WRONG_TYPE',
      message: 'The body must be an object with one operation, not a list.',
    })
  }
  if (!isMap(body)) throw invalid({ path: '', code: 'WRONG_TYPE', message: 'The body must be an object.' })
  const problems: FieldProblem[] = []
  const wrong = (path: string, what: string): void =>
    void problems.push({ path, code: 'WRONG_TYPE', message: `${path} must be ${what}.` })

  const { query = null, operationName = null, variables = null, extensions = null } = body
  if (query !== null && typeof query !== 'string') wrong('query', 'a string')
  if (operationName !== null && typeof operationName !== 'string') wrong('operationName', 'a string or null')
  if (variables !== null && !isMap(variables)) wrong('variables', 'an object or null')
  if (extensions !== null && !isMap(extensions)) wrong('extensions', 'an object or null')
  const given = (extensions ?? nothing) as Record<string, unknown>
  if ((query === null || query === '') && !namesPersistedQuery(given)) {
    problems.push({ path: 'query', code: 'REQUIRED', message: 'query is required.' })
  }
  if (problems.length > 0) throw invalid(...problems)
  return {
    query: (query as string | null) || null,
    operationName: (operationName as string | null) || null,
    variables: (variables ?? nothing) as Variables,
    extensions: given,
  }
}

export const namesPersistedQuery = (extensions: Readonly<Record<string, unknown>>): boolean =>
  Boolean(extensions['persistedQuery'])

const levelsMax = 32

const bounds: Bounds = {
  whole: 'A name',
  // The variables object itself is not counted as a level.
  levelsMax: levelsMax + 1,
  tooDeep: `Variables must be nested at most ${levelsMax} levels deep.`,
}

export function refuseUnreadable(variables: Variables): void {
  const problems = invalidValuesIn(variables, bounds)
  if (problems.length > 0) throw invalid(...problems)
}
