import type { Platform } from './platform.ts'

/** The statements on tables of records that a call makes, in order. */
export async function statementsOf(platform: Platform, call: () => Promise<unknown>): Promise<string[]> {
  const { database } = platform.services
  const statements: string[] = []
  const { query } = database
  database.query = function <R>(text: string, values?: readonly unknown[]) {
    if (/\b(crm|support|commerce)\./.test(text) || text.includes('kernel.record_total')) statements.push(text)
    return query.call(database, text, values) as Promise<R[]>
  }
  try {
    await call()
  } finally {
    database.query = query
  }
  return statements
}
