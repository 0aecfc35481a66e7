import { notFound, type FieldProblem } from '../../errors.ts'
import { isJsonObject } from '../../json/exact-number.ts'
import { isId } from '../../ids.ts'
import { unrestricted, type RequestContext } from '../../request.ts'
import type { Column } from '../column.ts'
import { customFieldsName } from '../custom-field-column.ts'
import { recordTypeIn } from '../custom-object.ts'
import type { Draft, RecordShape, StoredRow } from '../definition.ts'
import { nameOf } from '../describe.ts'
import { together } from '../next-record.ts'
import { TenantPredicate } from '../predicate.ts'
import { shapeFor } from '../shape-source.ts'
import { isMaster } from './lookup.ts'

type Fields = Readonly<Record<string, unknown>>

export const lookupsOf = ({ columns }: RecordShape): readonly Column[] =>
  [...columns.customFields.values()].filter(({ lookup }) => lookup)

const customFieldsOf = (record: object | null | undefined): Fields => {
  const values = (record as Fields | null | undefined)?.[customFieldsName]
  return isJsonObject(values) ? values : {}
}

/** Whether a write needs a transaction, in which the records that its lookups name, or that name the record, stay as they are. */
export function concernsLookups<T extends StoredRow>(definition: RecordShape, draft: Draft<T>): boolean {
  if (draft.operation === 'DELETE') return definition.lookedUpBy !== undefined
  if (draft.operation === 'RESTORE' && hasDetails(definition)) return true
  const lookups = lookupsOf(definition)
  if (lookups.length === 0) return false
  if (draft.operation === 'RESTORE') return true
  const given = { ...customFieldsOf(draft.values), ...customFieldsOf(draft.implied) }
  return lookups.some(({ key }) => typeof given[key!] === 'string')
}

/**
 * Those of the ids whose record is visible and not deleted. None of these records is deleted before the transaction ends: a deletion waits for
 * the lock.
 */
export async function lockNamed(
  ctx: RequestContext,
  object: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const builtIn = recordTypeIn(ctx, object)
  const known = ids.filter((id) => ctx.locked?.has(`${object} ${id}`))
  const others = ids.filter((id) => isId(id) && !known.includes(id))
  if (!builtIn || others.length === 0) return new Set(known)
  const shape = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const live = predicate.live(shape, 't')
  const rows = await ctx.db.query<{ id: string }>(
    `select t.id from ${shape.table} t where ${live} and t.id = any(${predicate.values.add(others)}::uuid[])
     order by t.id for key share of t`,
    predicate.values.list,
    'WRITE',
  )
  return new Set([...known, ...rows.map(({ id }) => id)])
}

export interface Named {
  readonly column: Column
  readonly id: string
}

/** Those of the records that these lookups name, of each record, that do not exist or are deleted. The others stay until the transaction ends. */
export async function lostOf(
  ctx: RequestContext,
  definition: RecordShape,
  records: readonly { readonly id: string; readonly customFields: unknown }[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  const namedOf = (record: (typeof records)[number]): Named[] =>
    lookupsOf(definition).flatMap((column) => {
      const id = customFieldsOf(record)[column.key!]
      return typeof id === 'string' && id !== record.id ? [{ column, id }] : []
    })
  const existing = await lockAll(unrestricted(ctx), records.flatMap(namedOf))
  return new Map(records.map((record) => [record.id, namedOf(record).filter((one) => !isKnown(existing, one))]))
}

/** Whether records of the type can have details, which are deleted and restored with them. */
export const hasDetails = ({ lookedUpBy = [] }: RecordShape): boolean =>
  lookedUpBy.some(({ onDelete }) => onDelete === 'CASCADE')

const byTarget = (named: readonly Named[]): [string, string[]][] =>
  [...Map.groupBy(named, ({ column }) => column.lookup!.to)].map(([to, found]) => [
    to,
    [...new Set(found.map(({ id }) => id))],
  ])

const isKnown = (locked: ReadonlyMap<string, ReadonlySet<string>>, { column, id }: Named): boolean =>
  locked.get(column.lookup!.to)?.has(id) ?? false

async function lockAll(
  ctx: RequestContext,
  named: readonly Named[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const locked = new Map<string, ReadonlySet<string>>()
  for (const [to, ids] of byTarget(named)) locked.set(to, await lockNamed(ctx, to, ids))
  return locked
}

/** The records that a change newly names: those that the caller asks for, and those that rules, hooks or another record decide. */
function namedBy<T extends StoredRow>(
  definition: RecordShape,
  { values, implied }: Pick<Draft<T>, 'values' | 'implied'>,
  next: object,
  previous: object | null,
): { readonly given: readonly Named[]; readonly implied: readonly Named[] } {
  const [after, before] = [customFieldsOf(next), customFieldsOf(previous)]
  const [asked, decided] = [customFieldsOf(values), customFieldsOf(implied)]
  const named = lookupsOf(definition).flatMap((column) => {
    const id = after[column.key!]
    return typeof id === 'string' && id !== before[column.key!] ? [{ column, id }] : []
  })
  const isGiven = ({ column: { key } }: Named): boolean => Object.hasOwn(asked, key!) && !Object.hasOwn(decided, key!)
  return { given: named.filter(isGiven), implied: named.filter((one) => !isGiven(one)) }
}

/** A record that the caller names must be one that the caller sees; what rules and hooks decide must only exist. */
export async function lookupProblems<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordShape,
  draft: Draft<T>,
  next: object,
  previous: object | null,
): Promise<FieldProblem[]> {
  if (draft.operation !== 'CREATE' && draft.operation !== 'UPDATE') return []
  const { given, implied } = namedBy(definition, draft, next, previous)
  if (given.length + implied.length === 0) return []
  const visible = await lockAll(ctx, given)
  const existing = await lockAll(unrestricted(ctx), implied)
  const unknown = [
    ...given.filter((one) => !isKnown(visible, one)),
    ...implied.filter((one) => !isKnown(existing, one)),
  ]
  const fixed = previous === null ? [] : [...given, ...implied].filter(({ column }) => column.lookup!.isFixed)
  return [
    ...fixed.map(({ column: { name: path } }) => {
      const message = `${path} never changes: the definition of the field does not allow another master.`
      return { path, code: 'NOT_ALLOWED', message }
    }),
    ...unknown.map(({ column: { name: path } }) => {
      const message = `${path} must be the id of an existing record that you can see.`
      return { path, code: 'UNKNOWN_REFERENCE', message }
    }),
  ]
}

/** A record is restored without what it names of records that were deleted meanwhile, but not without a master. */
export async function withoutLost<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordShape,
  draft: Draft<T>,
): Promise<Draft<T>> {
  if (draft.operation !== 'RESTORE') return draft
  const values = customFieldsOf(draft.previous)
  const named = lookupsOf(definition).flatMap((column) => {
    const id = values[column.key!]
    // A record that names itself is restored with it.
    return typeof id === 'string' && id !== draft.previous?.id ? [{ column, id }] : []
  })
  if (named.length === 0) return draft
  const existing = await lockAll(unrestricted(ctx), named)
  const lost = named.filter((one) => !isKnown(existing, one))
  if (lost.length === 0) return draft
  if (lost.some(({ column }) => isMaster(column))) throw notFound(`The ${nameOf(definition)}`)
  const customFields = Object.fromEntries(lost.map(({ column }) => [column.key!, null]))
  return { ...draft, implied: together<T>(draft.implied ?? {}, { customFields } as unknown as Partial<T>) }
}

/**
 * The context of a change of many records in one transaction: the records that their lookups name are read and locked together, one statement for each
 * type of them.
 */
export async function withNamedOf<C extends RequestContext>(
  ctx: C,
  builtIn: RecordShape,
  items: readonly object[],
): Promise<C> {
  const definition = shapeFor(ctx, builtIn)
  const lookups = lookupsOf(definition)
  const named = lookups.flatMap((column) =>
    items.flatMap((item) => {
      const id = customFieldsOf(item)[column.key!]
      return isId(id) ? [{ column, id: id.toLowerCase() }] : []
    }),
  )
  if (named.length === 0) return ctx
  const locked = new Set(ctx.locked)
  for (const [to, ids] of await lockAll(ctx, named)) for (const id of ids) locked.add(`${to} ${id}`)
  return { ...ctx, locked }
}
