import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { graphFailure } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { ShownFailure, usageFailure } from '../failure.ts'

interface Options {
  readonly file?: string
  readonly variables?: string
}

async function documentOf(given: string | undefined, { file }: Options): Promise<string> {
  if (given !== undefined && file !== undefined) throw usageFailure('Give the query or --file, not both.')
  if (file !== undefined)
    return readFile(file, 'utf8').catch((error: Error) => {
      throw usageFailure(`${file} cannot be read: ${error.message}`)
    })
  if (given !== undefined && given !== '-') return given
  if (given === undefined && process.stdin.isTTY)
    throw usageFailure("Give a query: crm query '{ accountList(limit: 3) { data { name } } }'")
  return text(process.stdin)
}

function variablesOf(given: string | undefined): object {
  if (given === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    value = null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageFailure('--variables must be a JSON object: \'{"limit": 3}\'')
  return value
}

/** Whether any of the fields has a value. */
const hasAnswers = (data: unknown): boolean => Object.values(data ?? {}).some((value) => value !== null)

/** Sends a GraphQL operation, and prints its data as JSON. */
export async function query(context: Context, given: string | undefined, options: Options): Promise<void> {
  const variables = variablesOf(options.variables)
  const document = await documentOf(given, options)
  const api = await apiOf(context)
  const { data = null, errors = [] } = await context.screen.during('Asking', () => api.graphql(document, variables))
  const { screen } = context
  if (errors.length === 0) return screen.result(data, () => [JSON.stringify(data, null, 2)])
  const failure = graphFailure(errors)
  if (!hasAnswers(data)) throw failure
  // Some of the fields have been answered.
  screen.result({ data, errors }, () => [JSON.stringify(data, null, 2)])
  if (!screen.isJson) throw failure
  throw new ShownFailure(failure.outcome, failure.code, failure.message)
}
