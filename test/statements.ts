import type { Sql } from '../subgraphs/kernel/database/sql.ts'
import type { Platform } from './platform.ts'

/** The statements on record tables that a call executes, in order. */
export async function statementsOf(platform: Platform, call: () => Promise<unknown>): Promise<string[]> {
  const { tenants } = platform.services
  const statements: string[] = []
  const { of } = tenants
  const record = (text: string): void => {
    if (/\b(crm|support|commerce)[._]|identity\.listed_user/.test(text)) statements.push(text)
  }
  tenants.of = (...operation): Sql => {
    const sql = of.apply(tenants, operation)
    return {
      open: sql.open,
      transaction: (work) => sql.transaction(work),
      byId(text, values, id) {
        record(text)
        return sql.byId(text, values, id)
      },
      query(text, values, kind) {
        record(text)
        return sql.query(text, values, kind)
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
