import { invalid, type FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'
import type { Variables } from '../graph/variables.ts'

/** A GraphQL request whose members have the types they must have. Further members are ignored. */
export interface Parameters {
  /** Null only where a persisted query is named instead. */
  readonly query: string | null
  readonly operationName: string | null
  readonly variables: Variables
  readonly extensions: Readonly<Record<string, unknown>>
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nothing = Object.freeze({})

export function readParameters(body: unknown): Parameters {
  if (Array.isArray(body)) {
    throw invalid({
      path: '',
      code: 'WRONG_TYPE',
      message: 'Operations are sent one at a time: as an object, not a list.',
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

const depthMax = 32
const problemsMax = 50

/** Refuses what no type can say: text that cannot be stored, names that mean something to JavaScript, endless nesting. */
export function refuseUnreadable(variables: Variables): void {
  const problems: FieldProblem[] = []
  examine(variables, '', 0, problems)
  if (problems.length > 0) throw invalid(...problems)
}

function examine(value: unknown, path: string, depth: number, problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) problems.push(notText(path))
    return
  }
  if (typeof value !== 'object' || value === null || problems.length >= problemsMax) return
  if (depth > depthMax) {
    problems.push({ path, code: 'TOO_DEEP', message: `Variables are nested at most ${depthMax} levels deep.` })
    return
  }
  const prefix = path === '' ? '' : `${path}.`
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) examine(value[index], `${prefix}${index}`, depth + 1, problems)
    return
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') {
      const message = 'A field cannot be called __proto__.'
      problems.push({ path: `${prefix}__proto__`, code: 'UNKNOWN_FIELD', message })
    } else if (isStorable(name)) examine((value as Record<string, unknown>)[name], prefix + name, depth + 1, problems)
    else problems.push(notText(path))
  }
}

const notText = (path: string): FieldProblem => ({
  path,
  code: 'NOT_TEXT',
  message: `${path === '' ? 'A name' : path} contains a NUL character or half of a surrogate pair.`,
})
