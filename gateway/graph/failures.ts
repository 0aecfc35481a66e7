import type { GraphQLFormattedError } from 'graphql'
import { isErrorCode, Refusal } from '../../subgraphs/kernel/errors.ts'

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

/** What is answered when a subgraph could not be asked at all. */
export function unavailable(thrown: unknown, path: Path | undefined): GraphQLFormattedError {
  const at = path && path.length > 0 ? { path: [...path] } : {}
  if (thrown instanceof Refusal && isErrorCode(thrown.code)) {
    return { message: thrown.message, ...at, extensions: thrown.extensions }
  }
  return { message: 'A part of the service is not available.', ...at, extensions: { code: 'UNAVAILABLE' } }
}

export function defect(path: Path | undefined): GraphQLFormattedError {
  const at = path && path.length > 0 ? { path: [...path] } : {}
  return { message: defectMessage, ...at, extensions: { code: 'INTERNAL' } }
}
