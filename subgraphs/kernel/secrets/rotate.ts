import type { Row, Sql } from '../database/sql.ts'
import { platformId, versionOf, type Vault } from './vault.ts'

/** A column with sealed text, which `keys:rotate` seals again with the new key. */
export interface SealedColumn {
  /** `schema.table` */
  readonly table: string
  readonly column: string
  /** Columns that identify the row, and all columns that `place` needs. */
  readonly key: readonly string[]
  /** The column with the organization; null for secrets of the platform. */
  readonly organization: string | null
  /** The place that the text of a row is sealed for. */
  place(row: Row): string
}

export interface Rotation {
  readonly rewrapped: number
  readonly renewed: number
  readonly resealed: number
}

const batchSize = 500

/**
 * Rotates all keys: data keys of a former master key are wrapped with the current one, every organization gets a new data key,
 * and every sealed text is sealed again with it. May be stopped and run again at any point; reads work throughout.
 */
export async function rotateKeys(database: Sql, vault: Vault, columns: readonly SealedColumn[]): Promise<Rotation> {
  const rewrapped = await vault.rewrap()
  const owners = await database.query<{ organizationId: string }>(
    'select distinct organization_id as "organizationId" from kernel.data_key order by 1',
  )
  const versions = new Map<string, number>()
  for (const { organizationId } of owners) versions.set(organizationId, await vault.renew(organizationId))
  let resealed = 0
  for (const column of columns) resealed += await resealColumn(database, vault, column, versions)
  return { rewrapped, renewed: owners.length, resealed }
}

async function resealColumn(
  database: Sql,
  vault: Vault,
  { table, column, key, organization, place }: SealedColumn,
  versions: ReadonlyMap<string, number>,
): Promise<number> {
  const names = [...new Set([...key, ...(organization ? [organization] : [])])]
  let count = 0
  let after = ''
  for (;;) {
    // Rows are read in the order of their ctid. A row written in the meantime moves, but is already sealed with the new key.
    const rows = await database.query(
      `select ctid::text as "at", ${names.join(', ')}, ${column} as "sealed" from ${table}
       where ${column} is not null and ($1 = '' or ctid > $1::tid) order by ctid limit ${batchSize}`,
      [after],
    )
    for (const row of rows) {
      const owner = organization ? (row[organization] as string) : platformId
      const sealed = row.sealed as string
      if (versionOf(sealed) >= (versions.get(owner) ?? 0)) continue
      await vault.load(owner, sealed)
      const again = vault.seal(owner, place(row), vault.open(owner, place(row), sealed))
      const updated = await database.query(
        `update ${table} set ${column} = $1 where ${column} = $2 and ${key.map((name, index) => `${name} = $${index + 3}`).join(' and ')} returning 1 as done`,
        [again, sealed, ...key.map((name) => row[name])],
      )
      count += updated.length
    }
    if (rows.length < batchSize) return count
    after = rows.at(-1)!.at as string
  }
}
