import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Column } from './column.ts'
import type { RecordShape } from './definition.ts'
import { substitute, type FieldRules } from './field-security.ts'

/** The part of a resolver's info that says what was asked for; graphql-jit gives the same nodes for every run of a document. */
export type Asked = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

const remembered = new WeakMap<readonly FieldNode[], Map<string, ReadonlySet<string>>>()

/** Names of the fields asked for below `path` (`['data']` of a page), fragments included, whatever their type condition. */
export function fieldsAsked(info: Asked, path: readonly string[] = []): ReadonlySet<string> {
  const key = path.join('.')
  let byPath = remembered.get(info.fieldNodes)
  if (!byPath) remembered.set(info.fieldNodes, (byPath = new Map()))
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

/** Whether any of these fields is asked for: for what costs a statement of its own. The gateway has decided all conditions. */
export const asksForAny = (info: Asked, ...names: readonly string[]): boolean => {
  const asked = fieldsAsked(info)
  return names.some((name) => asked.has(name))
}

function fieldsOf(set: SelectionSetNode, fragments: { [name: string]: FragmentDefinitionNode }): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [selection]
    const inner =
      selection.kind === 'InlineFragment' ? selection.selectionSet : fragments[selection.name.value]?.selectionSet
    return inner ? fieldsOf(inner, fragments) : []
  })
}

/** Orders come with variables, and any columns can be one: so many are kept of all documents together, a few kilobytes each. */
const unions = new LRUCache<string, ReadonlySet<string>>({ max: 2000 })
const numbers = new WeakMap<ReadonlySet<string>, number>()
let numbered = 0

function numberOf(asked: ReadonlySet<string>): number {
  let number = numbers.get(asked)
  if (number === undefined) numbers.set(asked, (number = ++numbered))
  return number
}

/** What is asked for and these columns; the same set for the same, so that what is kept by it is found. */
export function together(asked: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  if (names.every((name) => asked.has(name))) return asked
  const key = `${numberOf(asked)} ${names.join()}`
  let union = unions.get(key)
  if (!union) unions.set(key, (union = new Set([...asked, ...names])))
  return union
}

const selectLists = new WeakMap<ReadonlySet<string>, WeakMap<object, string>>()

function selected(column: Column, alias: string, rules: FieldRules | null): string {
  const instead = rules && substitute(rules, column, alias)
  if (instead) return `${instead} as "${column.name}"`
  return column.sql(alias) + (column.column === column.name ? '' : ` as "${column.name}"`)
}

/**
 * The select list of a read: the id, the asked columns under their graph names and, when anything but columns is asked for,
 * every id, which edges to other records stand on. What the rules hide never leaves the database.
 */
export function selectList(
  { columns }: RecordShape,
  asked: ReadonlySet<string>,
  alias: string,
  rules: FieldRules | null,
): string {
  let byColumns = selectLists.get(asked)
  if (!byColumns) selectLists.set(asked, (byColumns = new WeakMap()))
  // Organizations share what is kept: it has columns of the table only, which are the same for all of them.
  const owner = rules ?? columns.stored
  let list = byColumns.get(owner)
  if (!list) {
    const { stored, byName } = columns
    const followsEdges = [...asked].some((name) => !byName.has(name) && name !== '__typename')
    list = stored
      .filter(({ kind, name }) => name === 'id' || asked.has(name) || (followsEdges && kind === 'id'))
      .map((column) => selected(column, alias, rules))
      .join(', ')
    byColumns.set(owner, list)
  }
  return list
}
