import pg from 'pg'
import { parameterOf } from '../package-internals/parameter.ts'

/** A value as a literal of SQL, for the few statements that take no parameters. */
export function literalOf(value: unknown): string {
  const parameter = parameterOf(value)
  if (parameter === null) return 'null'
  if (typeof parameter !== 'string') throw new TypeError('A literal must be a text for PostgreSQL.')
  return pg.escapeLiteral(parameter)
}
