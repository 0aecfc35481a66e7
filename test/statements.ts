import pg from 'pg'
import type { Sql } from '../subgraphs/kernel/database/sql.ts'
import { tenantRole } from '../subgraphs/kernel/database/tenant-role.ts'
import type { Services } from '../subgraphs/kernel/request.ts'

const onRecordTables = /\b(crm|support|commerce)[._]|identity\.listed_user/

/** The statements that a call executes for organizations, in order: those on record tables, or those that match. */
export async function statementsOf(
  platform: { readonly services: Pick<Services, 'tenants'> },
  call: () => Promise<unknown>,
  matching = onRecordTables,
  { inTransactions = false } = {},
): Promise<string[]> {
  const { tenants } = platform.services
  const statements: string[] = []
  const { of } = tenants
  const record = (text: string): void => {
    if (matching.test(text)) statements.push(text)
  }
  const recording = (sql: Sql): Sql => {
    return {
      open: sql.open,
      transaction: (work) => sql.transaction((inner) => work(inTransactions ? recording(inner) : inner)),
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
  tenants.of = (...operation): Sql => recording(of.apply(tenants, operation))
  try {
    await call()
  } finally {
    tenants.of = of
  }
  return statements
}

/** The lines of the plan of a statement for the role of the application, whatever its values are, without these kinds of nodes if possible. */
export async function genericPlanOf(
  url: string,
  statement: string,
  without: readonly ('seqscan' | 'bitmapscan' | 'indexonlyscan' | 'sort')[] = [],
): Promise<string[]> {
  // The simple protocol lets a statement have parameters without values.
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set role ${tenantRole}`)
    for (const node of without) await client.query(`set enable_${node} = off`)
    const { rows } = await client.query<Record<string, string>>(`explain (generic_plan, costs off) ${statement}`)
    return rows.map((row) => row['QUERY PLAN']!)
  } finally {
    await client.end()
  }
}
