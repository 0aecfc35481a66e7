import type { GraphQLFormattedError } from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'

export type Path = readonly (string | number)[]

export const defectMessage = 'Something went wrong on our side.'

/**
 * A subgraph's error as the client sees it: its message and extensions where it carries a code. One without a code is a
 * defect and says nothing.
 */
export function clientError(error: GraphQLFormattedError, path: Path | undefined): GraphQLFormattedError {
  const at = path && path.length > 0 ? { path: [...path] } : {}
  const code = error.extensions?.['code']
  if (typeof code !== 'string') return { message: defectMessage, ...at, extensions: { code: 'INTERNAL' } }
  const { stacktrace: _stacktrace, serviceName: _serviceName, ...extensions } = error.extensions ?? {}
  return { message: error.message, ...at, extensions }
}

/** What is answered when a subgraph could not be asked at all: an error for each of the names that it was asked for. */
export function unavailable(thrown: unknown, prefix: Path, keys: readonly string[]): GraphQLFormattedError[] {
  const { message, extensions } =
    thrown instanceof Refusal
      ? thrown
      : { message: 'A part of the service is not available.', extensions: { code: 'UNAVAILABLE' } }
  const paths = keys.length > 0 ? keys.map((key) => [...prefix, key]) : [prefix]
  return paths.map((path) => ({ message, ...(path.length > 0 && { path }), extensions }))
}

export function defect(path: Path | undefined): GraphQLFormattedError {
  const at = path && path.length > 0 ? { path: [...path] } : {}
  return { message: defectMessage, ...at, extensions: { code: 'INTERNAL' } }
}
