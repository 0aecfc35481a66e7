import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../subgraphs/kernel/database/database.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { openAdministrator, type Tenant } from './tenants.ts'

/** What COPY does with the rows of the loaded organization: in files of the database server, so that no client takes part. */
export class Copies {
  private constructor(
    private readonly sql: Database,
    private readonly from: Tenant,
    private readonly to: Tenant,
    /** Columns of each table. */
    private readonly tables: ReadonlyMap<string, readonly string[]>,
  ) {}

  static async of(sql: Database, services: OpenServices, from: Tenant): Promise<Copies> {
    const tables = new Map<string, string[]>()
    for (const [schema, table] of [
      ['crm', 'account'],
      ['kernel', 'event'],
    ] as const) {
      const columns = await sql.query<{ name: string }>(
        `select column_name as name from information_schema.columns
         where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' order by ordinal_position`,
        [schema, table],
      )
      tables.set(
        `${schema}.${table}`,
        columns.map(({ name }) => name),
      )
    }
    return new Copies(sql, from, await openAdministrator(services), tables)
  }

  /** Writes all columns of the records to a file, as an export does. */
  async copyOut(): Promise<void> {
    const rows = `select * from crm.account where organization_id = '${this.from.organizationId}'`
    await this.sql.query(`copy (${rows}) to '${fileOf('out')}' with (format csv, header)`)
  }

  /** Files with the records and their events, for another organization. */
  async prepare(): Promise<void> {
    const changed: Readonly<Record<string, string>> = {
      id: 'uuidv7()',
      organization_id: `'${this.to.organizationId}'`,
    }
    for (const [table, columns] of this.tables) {
      const values = columns.map((column) => changed[column] ?? column).join(', ')
      const rows = `select ${values} from ${table} where organization_id = '${this.from.organizationId}'`
      await this.sql.query(`copy (${rows}) to '${fileOf(table)}'`)
    }
  }

  /** Reads these files in one transaction. */
  async copyIn(): Promise<void> {
    await this.sql.transaction(async (db) => {
      for (const [table, columns] of this.tables)
        await db.query(`copy ${table} (${columns.join(', ')}) from '${fileOf(table)}'`, [], 'WRITE')
    })
  }
}

const fileOf = (name: string): string => join(tmpdir(), `crm-bench-copy-${name}`)
