import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { defectMessage, Refusal } from '../../subgraphs/kernel/errors.ts'
import { shortened } from './shortened.ts'

export type Path = readonly (string | number)[]

const at = (path: Path | undefined) => (path && path.length > 0 ? { path: [...path] } : {})

/**
 * A subgraph's error as the client sees it: its message and extensions where it carries a code. One without a code is a
 * defect and says nothing.
 */
export function clientError(error: GraphQLFormattedError, path: Path | undefined): GraphQLFormattedError {
  if (typeof error.extensions?.['code'] !== 'string') return defect(path)
  const { stacktrace: _stacktrace, serviceName: _serviceName, ...extensions } = error.extensions
  return { message: error.message, ...at(path), extensions }
}

/** For what the planner, or the compiler of a subgraph, found wrong with an operation before any of it ran; else null. */
export function refusedOperation(thrown: unknown): Refusal | null {
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
  const [first] = errors
  if (!(first instanceof GraphQLError) || first instanceof Refusal) return null
  if (!errors.every((error) => error instanceof GraphQLError)) return null
  // Names that clients may not know would be suggested here.
  return new Refusal('GRAPHQL_VALIDATION_FAILED', shortened(first.message.replace(/ Did you mean .*$/s, '')))
}

/** What is answered when a subgraph could not be asked at all: an error for each of the names that it was asked for. */
export function unavailable(thrown: unknown, prefix: Path, keys: readonly string[]): GraphQLFormattedError[] {
  const refusal = thrown instanceof Refusal ? thrown : refusedOperation(thrown)
  const { message, extensions } = refusal ?? {
    message: 'A part of the service is not available.',
    extensions: { code: 'UNAVAILABLE' },
  }
  const paths = keys.length > 0 ? keys.map((key) => [...prefix, key]) : [prefix]
  return paths.map((path) => ({ message, ...(path.length > 0 && { path }), extensions }))
}

export function defect(path: Path | undefined): GraphQLFormattedError {
  return { message: defectMessage, ...at(path), extensions: { code: 'INTERNAL' } }
}
