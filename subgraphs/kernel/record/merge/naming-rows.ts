/** Rows that are no records, and name records: a merge moves them. The values of its statements are `$1` to `$5`. */
export interface NamingRows {
  /** What the rows are, for people and clients: `notification`. */
  readonly object: string
  /** The field of its answers with the id. */
  readonly field: string
  /** Whether its rows name records of this type. */
  readonly concerns: (object: string) => boolean
  /** SQL that counts the rows, at most `$4`: `$1` is the organization, `$2` the list of the ids, `$3` the record type. */
  readonly count: string
  /** SQL that changes and returns the rows, at most `$5`: `$4` is the id of the record that stays, the others as for `count`. */
  readonly move: string
}

interface Column {
  readonly object: string
  readonly field: string
  readonly table: string
  /** The column with the id. */
  readonly id: string
  /** The type of that column; default: uuid. */
  readonly idType?: 'uuid' | 'text'
  /** SQL of the record type of a row, as the names of record types are: `lower(record_type)`. Without it, rows name records of any type. */
  readonly kind?: string
  readonly concerns?: (object: string) => boolean
}

/** SQL of the condition on some of the rows of a table with this condition, for `move`. */
export const someOf = (table: string, where: string): string =>
  `ctid = any(array(select ctid from ${table} where ${where} limit $5::int)) and ${where}`

/** Rows with an id in a column. */
export function namingColumn({
  object,
  field,
  table,
  id,
  idType = 'uuid',
  kind,
  concerns = () => true,
}: Column): NamingRows {
  const isOfType = kind === undefined ? '$3::text is not null' : `${kind} = $3::text`
  const where = `organization_id = $1 and ${id} = any($2::${idType}[]) and ${isOfType}`
  return {
    object,
    field,
    concerns,
    count: `select count(*)::int as count from (select from ${table} where ${where} limit $4::int) r`,
    move: `update ${table} set ${id} = $4::${idType} where ${someOf(table, where)} returning 1`,
  }
}

const registry: NamingRows[] = []

/** Registers the rows of all subgraphs. The composition root calls it once. */
export function registerNamingRows(rows: readonly NamingRows[]): void {
  registry.push(...rows)
}

export const namingRowsOf = (object: string): NamingRows[] => registry.filter(({ concerns }) => concerns(object))
