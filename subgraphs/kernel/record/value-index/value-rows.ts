import type { Column } from '../column.ts'
import { customFieldsName, sqlLiteral, typedSql } from '../custom-field-column.ts'
import type { Contributor } from '../derived/contributor.ts'
import type { RecordShape } from '../definition.ts'
import type { DerivedRows, RecordChange } from '../derived/derived-rows.ts'
import type { StatementValues } from '../event-types.ts'
import { isSameValue } from '../same-value.ts'
import { indexedCharacters, valueColumns, valueKinds, valueTable } from './value-column.ts'

type Fields = Readonly<Record<string, unknown>>

/** The rows of the index that a change of records writes; all of them have the same name in the definitions and in the table. */
interface Row {
  readonly organization: unknown
  readonly field: string
  readonly record: unknown
  readonly created: unknown
  readonly value: unknown
}

const indexed = (columns: Iterable<Column>): Column[] => [...columns].filter(({ valueIndex }) => valueIndex)

/** The value of a record in a custom field; null without one. */
export const valueOf = (record: Fields, { key, kind, default: initial }: Column): unknown => {
  const value = (record[customFieldsName] as Fields | null)?.[key!] ?? null
  return kind === 'boolean' && typeof value !== 'boolean' ? (initial ?? null) : value
}

/** SQL of the value of one column of the table, where it is `value` in JSON. */
function valueSql(kind: keyof typeof valueColumns, json: string): string {
  const [columnKind] = Object.entries(valueKinds).find(([, name]) => name === kind)!
  const sql = typedSql[columnKind as keyof typeof typedSql](json, `${json} #>> '{}'`)
  return kind === 'text' ? `left(${sql}, ${indexedCharacters})` : sql
}

const typed = Object.entries(valueColumns) as [keyof typeof valueColumns, { column: string }][]
const written = ['created_at', 'kind', ...typed.map(([, { column }]) => column), 'unique_key']

/**
 * SQL that writes the rows of `source`, which has the columns `organization`, `field`, `record`, `created`, `kind`, `form` (of the unique key) and
 * `value` (JSON). A row that exists is replaced.
 */
export const writeValues = (object: string, source: string): string => `
  insert into ${valueTable} (organization_id, object, field, record_id, ${written.join(', ')})
  select g.organization, ${sqlLiteral(object)}, g.field, g.record, g.created, g.kind,
    ${typed.map(([kind]) => `case when g.kind = '${kind}' then ${valueSql(kind, 'g.value')} end`).join(', ')},
    kernel.unique_key(g.value, g.form)
  from ${source} order by g.field, g.record
  on conflict (organization_id, object, field, record_id) do update set
    ${written.map((name) => `${name} = excluded.${name}`).join(', ')}`

function rowsOf(columns: readonly Column[], { operation, previous, next }: RecordChange): Row[] {
  if (operation === 'DELETE') return []
  const isNew = operation !== 'UPDATE'
  return columns.flatMap((column) => {
    const value = valueOf(next, column)
    if (!isNew && isSameValue(value, valueOf(previous!, column))) return []
    const { id, organizationId, createdAt } = next
    return { organization: organizationId, field: column.key!, record: id, created: createdAt, value }
  })
}

/** The fields with their kinds, which are the same for all rows of a statement. */
const fieldsSql = (columns: readonly Column[]): string =>
  `(values ${columns
    .map(({ key, valueIndex }) => {
      const { kind, unique } = valueIndex!
      return `(${sqlLiteral(key!)}, '${kind}', ${unique ? `'${unique}'` : 'null::text'})`
    })
    .join(', ')}) f(field, kind, form)`

/** The rows of the index follow the record in every write: new values, none for a deleted record, all of them again for a restored one. */
export const valueRows: Contributor = ({ object, columns }): DerivedRows | null => {
  const fields = indexed(columns.customFields.values())
  if (fields.length === 0) return null
  const keys = fields.map(({ key }) => key!)
  return ({ values, isWritten }, changes) => {
    const statements: Record<string, string> = {}
    const rows = changes.flatMap((change) => rowsOf(fields, change))
    if (rows.length > 0) {
      const given = `jsonb_to_recordset(${json(values, rows)}) as r(organization uuid, field text, record uuid, created timestamptz, value jsonb)`
      const source = `(select r.*, f.kind, f.form from ${given} join ${fieldsSql(fields)} using (field) where ${isWritten('r.record')}) g`
      statements['values_written'] = writeValues(object, source)
    }
    const removed = changes.filter(({ operation }) => operation === 'DELETE').map(({ next }) => next)
    if (removed.length > 0) {
      const records = removed.map(({ id, organizationId }) => ({ id, organizationId }))
      const given = `jsonb_to_recordset(${json(values, records)}) as r(id uuid, "organizationId" uuid)`
      statements['values_removed'] = `
        delete from ${valueTable} v using ${given} where v.organization_id = r."organizationId" and v.object = ${sqlLiteral(object)}
          and v.field = any(${values.add(keys)}::text[]) and v.record_id = r.id and ${isWritten('r.id')}`
    }
    return statements
  }
}

const json = (values: StatementValues, rows: readonly object[]): string => `${values.add(JSON.stringify(rows))}::jsonb`

/** The source of `writeValues` with the values of one field in the records `$2` of the organization `$1`. */
export const readRecords = ({ table }: RecordShape, { key, kind, valueIndex, default: initial }: Column): string => {
  const value = `t.custom_fields -> ${sqlLiteral(key!)}`
  const known =
    kind === 'boolean' && initial !== undefined
      ? `case when jsonb_typeof(${value}) = 'boolean' then ${value} else '${initial === true}'::jsonb end`
      : value
  const { kind: valueKind, unique } = valueIndex!
  return `select t.organization_id as organization, ${sqlLiteral(key!)} as field, t.id as record, t.created_at as created,
    '${valueKind}' as kind, ${unique ? `'${unique}'` : 'null::text'} as form, ${known} as value
    from ${table} t where t.organization_id = $1 and t.id = any($2::uuid[])`
}
