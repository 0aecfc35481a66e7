import type { Sql } from '../subgraphs/kernel/database/database.ts'
import type { Platform } from './platform.ts'

/** The statements on tables of records that a call makes, in order. */
export async function statementsOf(platform: Platform, call: () => Promise<unknown>): Promise<string[]> {
  const { tenants } = platform.services
  const statements: string[] = []
  const { of } = tenants
  tenants.of = (organizationId): Sql => {
    const sql = of.call(tenants, organizationId)
    return {
      ...sql,
      query(text, values) {
        if (/\b(crm|support|commerce)\./.test(text) || text.includes('kernel.record_total')) statements.push(text)
        return sql.query(text, values)
      },
    }
  }
  try {
    await call()
  } finally {
    tenants.of = of
  }
  return statements
}
