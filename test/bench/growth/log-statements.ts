import { appendFileSync } from 'node:fs'
import pg from 'pg'
import type { Row, Sql } from '../../../subgraphs/kernel/database/sql.ts'
import type { SharedSql } from '../../../subgraphs/kernel/database/shared-sql.ts'

// Loaded before the project (`node --import`). Writes the text and the values of every statement of a tenant to the file in
// STATEMENTS_FILE, as one line of JSON each, so that the bench can explain it.

/** Converts a value to the text that `pg` sends. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | null } }).utils
const file = process.env['STATEMENTS_FILE']!
const path = new URL('../../../dist/subgraphs/kernel/database/shared-sql.js', import.meta.url).href
const { SharedSql: SharedSqlClass } = (await import(path)) as { SharedSql: typeof SharedSql }

const query: Sql['query'] = SharedSqlClass.prototype.query
SharedSqlClass.prototype.query = function <R = Row>(this: SharedSql, ...args: Parameters<Sql['query']>): Promise<R[]> {
  const [text, values = []] = args
  // Without settings it is a statement of a sign-in, which has another role.
  if (this.settingsFor) appendFileSync(file, `${JSON.stringify({ text, values: values.map(prepareValue) })}\n`)
  return query.apply(this, args) as Promise<R[]>
}
