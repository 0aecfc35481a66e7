import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Column } from './column.ts'
import type { Columns } from './columns.ts'
import { customValuesSql } from './computed-values.ts'
import { customFieldsName } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { restrictedSql, type FieldRules } from './field-security.ts'
import { referencedByName, relatedName } from './lookup/lookup.ts'

/** The part of a resolver's `info` with the selection. graphql-jit passes the same nodes each time it executes a document. */
export type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

const namesCache = new WeakMap<readonly FieldNode[], Map<string, ReadonlySet<string>>>()

/** The names of the selected fields below `path` (`['data']` for a page), including fragments of all type conditions. */
export function selectedFields(info: SelectionInfo, path: readonly string[] = []): ReadonlySet<string> {
  const key = path.join('.')
  let byPath = namesCache.get(info.fieldNodes)
  if (!byPath) namesCache.set(info.fieldNodes, (byPath = new Map()))
  let names = byPath.get(key)
  if (!names) {
    let sets = info.fieldNodes.flatMap((node) => node.selectionSet ?? [])
    for (const step of path) {
      sets = sets
        .flatMap((set) => fieldsOf(set, info.fragments))
        .flatMap((field) => (field.name.value === step ? (field.selectionSet ?? []) : []))
    }
    names = new Set(sets.flatMap((set) => fieldsOf(set, info.fragments)).map((field) => field.name.value))
    byPath.set(key, names)
  }
  return names
}

/** Whether any of these fields is selected. The gateway has already applied `@skip` and `@include`. */
export const isAnySelected = (info: SelectionInfo, ...names: readonly string[]): boolean => {
  const selected = selectedFields(info)
  return names.some((name) => selected.has(name))
}

function fieldsOf(set: SelectionSetNode, fragments: { [name: string]: FragmentDefinitionNode }): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [selection]
    const inner =
      selection.kind === 'InlineFragment' ? selection.selectionSet : fragments[selection.name.value]?.selectionSet
    return inner ? fieldsOf(inner, fragments) : []
  })
}

/** A client can send any order in variables, so the cache is limited; an entry needs a few kilobytes. */
const unionCache = new LRUCache<string, ReadonlySet<string>>({ max: 2000 })
const setIds = new WeakMap<ReadonlySet<string>, number>()
let lastSetId = 0

function setIdOf(selected: ReadonlySet<string>): number {
  let id = setIds.get(selected)
  if (id === undefined) setIds.set(selected, (id = ++lastSetId))
  return id
}

/** Adds columns to a selection. Returns the same set for the same arguments, because sets are keys of caches. */
export function withFields(selected: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  if (names.every((name) => selected.has(name))) return selected
  const key = `${setIdOf(selected)} ${names.join()}`
  let union = unionCache.get(key)
  if (!union) unionCache.set(key, (union = new Set([...selected, ...names])))
  return union
}

const selectListCache = new WeakMap<ReadonlySet<string>, WeakMap<object, string>>()
const computedSqlCache = new WeakMap<Columns, Map<string, string>>()

/** The expression of `customFields` with what reads compute may have hundreds of kilobytes, so there is one for each snapshot of definitions and alias. */
function computedSql(columns: Columns, stored: string, alias: string): string {
  let byAlias = computedSqlCache.get(columns)
  if (!byAlias) computedSqlCache.set(columns, (byAlias = new Map()))
  let sql = byAlias.get(alias)
  if (sql === undefined) byAlias.set(alias, (sql = customValuesSql(stored, columns, alias)))
  return sql
}

function selectExpression(columns: Columns, column: Column, alias: string, rules: FieldRules | null): string {
  const isComputed = columns.isComputedByReads && column.name === customFieldsName
  const stored = column.sql(alias)
  const sql = isComputed ? computedSql(columns, stored, alias) : stored
  const replacement = rules && restrictedSql(rules, column, sql)
  if (replacement) return `${replacement} as "${column.name}"`
  return sql + (column.column === column.name ? '' : ` as "${column.name}"`)
}

function selectExpressions(
  { columns, objectColumn }: RecordShape,
  selected: ReadonlySet<string>,
  alias: string,
  rules: FieldRules | null,
): string {
  const { stored, byName } = columns
  const namesRelated = selected.has(relatedName)
  const namesType = namesRelated || selected.has(referencedByName)
  const followsEdges = [...selected].some((name) => !byName.has(name) && name !== '__typename')
  return stored
    .filter(
      ({ kind, name, decidesEdges }) =>
        name === 'id' ||
        selected.has(name) ||
        (followsEdges && (kind === 'id' || decidesEdges)) ||
        (namesRelated && name === customFieldsName) ||
        (namesType && name === objectColumn),
    )
    .map((column) => selectExpression(columns, column, alias, rules))
    .join(', ')
}

/**
 * The select list of a read: the id and the selected columns, under their GraphQL names. When a field that is not a column is
 * selected, all id columns are added, and columns that decide edges, because relations to other records need them. Hidden values are never read from the database.
 */
export function selectList(
  shape: RecordShape,
  selected: ReadonlySet<string>,
  alias: string,
  rules: FieldRules | null,
): string {
  const { columns } = shape
  const namesCustomFields =
    (selected.has(customFieldsName) || selected.has(relatedName)) &&
    (columns.isComputedByReads || (rules !== null && rules.hiddenKeys.size > 0))
  // A list that names custom fields is that of one organization, and may be long, so that no list of a document is kept.
  if (namesCustomFields) return selectExpressions(shape, selected, alias, rules)
  let byColumns = selectListCache.get(selected)
  if (!byColumns) selectListCache.set(selected, (byColumns = new WeakMap()))
  // All organizations share a cached list, because it contains only table columns.
  const owner = rules ?? columns.stored
  let list = byColumns.get(owner)
  if (list === undefined) byColumns.set(owner, (list = selectExpressions(shape, selected, alias, rules)))
  return list
}
