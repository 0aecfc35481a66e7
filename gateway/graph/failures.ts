import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { defectMessage, Refusal } from '../../subgraphs/kernel/errors.ts'
import { shortened } from './shortened.ts'

export type Path = readonly (string | number)[]

const at = (path: Path | undefined) => (path && path.length > 0 ? { path: [...path] } : {})

/**
 * The error of a subgraph as the client sees it. An error with a code keeps message and extensions; an error without a code is a
 * defect, and its details are hidden.
 */
export function clientError(error: GraphQLFormattedError, path: Path | undefined): GraphQLFormattedError {
  if (typeof error.extensions?.['code'] !== 'string') return defect(path)
  const { stacktrace: _stacktrace, serviceName: _serviceName, ...extensions } = error.extensions
  return { message: error.message, ...at(path), extensions }
}

/** A refusal if the planner or the compiler of a subgraph rejected the operation before it ran; otherwise null. */
export function refusedOperation(thrown: unknown): Refusal | null {
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
  const [first] = errors
  if (!(first instanceof GraphQLError) || first instanceof Refusal) return null
  if (!errors.every((error) => error instanceof GraphQLError)) return null
  // The suggestion could name elements that clients must not know.
  return new Refusal('GRAPHQL_VALIDATION_FAILED', shortened(first.message.replace(/ Did you mean .*$/s, '')))
}

/** The errors when a subgraph did not answer at all: one for each response name that was requested from it. */
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
