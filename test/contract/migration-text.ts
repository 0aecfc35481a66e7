import type { MikroORM } from '@mikro-orm/postgresql'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import {
  columnIndexes,
  listIndexes,
  recordColumns,
  uniqueExternalIds,
} from '../../subgraphs/kernel/record/record-table.ts'
import {
  columnsWithoutIndex,
  modelledColumns,
  modelledRecords,
  storedColumns,
  storedIndexes,
  type ColumnFacts,
} from './model-columns.ts'

const columnSql = ({ name, type, nullable }: ColumnFacts): string => `${name} ${type}${nullable ? '' : ' not null'}`
const recordColumnNames = new Set([...recordColumns.matchAll(/^ +(\w+) (?!key)/gm)].map(([, name]) => name!))
/** What `listIndexes` has without being told. */
const alwaysIndexed = new Set(['created_at', 'updated_at', 'external_id', 'owner_id'])

/** Values of the rows that exist when a column becomes required. */
const defaults: Readonly<Record<string, string>> = { boolean: 'false', integer: '0', jsonb: `'[]'`, 'text[]': `'{}'` }
const filled = (column: ColumnFacts): string =>
  column.nullable ? columnSql(column) : `${columnSql(column)} default ${defaults[column.type] ?? `'' /* decide */`}`

/**
 * The SQL that brings the table of a record type to what its class declares: the table, or its missing columns, other types and missing indexes.
 * Columns that the class does not declare are comments, because their values would be lost. Null if nothing differs.
 */
export async function tableChanges(database: Sql, orm: MikroORM, record: RecordShape): Promise<string | null> {
  const { table, object } = record
  const wanted = modelledColumns(orm, record)
  const stored = new Map((await storedColumns(database, table)).map((column) => [column.name, column]))
  const prefix = table.split('.')[1]!
  const unindexed = columnsWithoutIndex(record, await storedIndexes(database, table))
  if (stored.size === 0) {
    const isOrgRecord = [...recordColumnNames].every((name) => wanted.some((column) => column.name === name))
    const own = wanted.filter(({ name }) => !isOrgRecord || !recordColumnNames.has(name))
    const lines = own.map((column) => `      ${columnSql(column)}`)
    if (!isOrgRecord) {
      const key = '      primary key (organization_id, id)'
      return `    create table ${table} (\n${[...lines, key].join(',\n')}\n    );`
    }
    const indexed = unindexed.filter((name) => !alwaysIndexed.has(name))
    return `    create table ${table} (${[recordColumns, ...lines].join(',\n')}\n    );${listIndexes(table, prefix, indexed)}${uniqueExternalIds([table])}`
  }
  const names = new Set(wanted.map(({ name }) => name))
  const changed = wanted.filter(({ name, type }) => stored.has(name) && stored.get(name)!.type !== type)
  const added = wanted.filter(({ name }) => !stored.has(name))
  const required = wanted.filter(({ name, nullable }) => stored.get(name) && stored.get(name)!.nullable !== nullable)
  const removed = [...stored.keys()].filter((name) => !names.has(name))
  const lines = [
    ...(changed.length > 0 ? [`drop view if exists tenant.${table.replace('.', '_')};`] : []),
    ...added.map((column) => `alter table ${table} add column ${filled(column)};`),
    ...changed.map(
      ({ name, type }) => `alter table ${table} alter column ${name} type ${type} using ${name}::${type};`,
    ),
    ...required.map(
      ({ name, nullable }) => `alter table ${table} alter column ${name} ${nullable ? 'drop' : 'set'} not null;`,
    ),
    ...(unindexed.length > 0 ? [columnIndexes(table, prefix, unindexed)] : []),
    ...removed.map((name) => `-- ${object} declares no column ${name}: alter table ${table} drop column ${name};`),
  ]
  return lines.length === 0 ? null : lines.map((line) => `    ${line}`).join('\n')
}

/** The source of one migration for each table that differs; null if none does. */
export async function migrationText(database: Sql, orm: MikroORM, name: string, today: Date): Promise<string | null> {
  const constant = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const day = today.toISOString().slice(0, 10).replaceAll('-', '')
  const changes: { readonly table: string; readonly sql: string }[] = []
  for (const record of modelledRecords) {
    const sql = await tableChanges(database, orm, record)
    if (sql !== null) changes.push({ table: record.table, sql })
  }
  if (changes.length === 0) return null
  const blocks = changes.map(({ table, sql }) => {
    const [schema, own] = table.split('.') as [string, string]
    const suffix = changes.length > 1 ? `-${own.replaceAll('_', '-')}` : ''
    return `// ${table}\nexport const ${constant}: Migration = {\n  name: '${day}-${schema}-${name}${suffix}',\n  sql: \`\n${sql}\n  \`,\n}\n`
  })
  return blocks.join('\n')
}
