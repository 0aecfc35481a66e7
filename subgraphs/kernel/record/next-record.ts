import { actorIdOf } from '../context.ts'
import { newId } from '../ids.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { RequestContext } from '../request.ts'
import { keyOfValues } from './key-of-values.ts'
import type { Column } from './column.ts'
import { mergeCustomFields, storedCustomFields } from './custom-fields.ts'
import { hasColumn, type Draft, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { isSameValue } from './same-value.ts'
import { storedStructure } from './structure.ts'

export type Fields = Record<string, unknown>

export function definedOnly<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}

/** The values of a change from several sources. A later one overrides those that it has; of custom fields only those that it names. */
export function together<T extends object>(...parts: readonly Partial<T>[]): Partial<T> {
  const values: Fields = Object.assign({}, ...parts.map(definedOnly))
  const named = parts.map((part) => (part as Fields).customFields).filter(isJsonObject)
  if (named.length > 1) values.customFields = Object.assign({}, ...named)
  return values as Partial<T>
}

/** Removes undefined values, and converts ids, trimmed texts and custom fields to their stored form. Ids are stored in lower case, as PostgreSQL prints them. */
export function normalized<T extends object>(definition: RecordShape, values: T): T {
  const given: Fields = definedOnly(values) as Fields
  for (const { name } of definition.columns.ids) {
    const id = given[name]
    if (typeof id === 'string') given[name] = id.toLowerCase()
  }
  for (const { name } of definition.columns.trimmed) {
    const text = given[name]
    if (typeof text === 'string') given[name] = text.trim() || null
  }
  for (const column of definition.columns.structured) {
    if (column.name in given) given[column.name] = storedStructure(column, given[column.name])
  }
  if ('customFields' in given) given.customFields = storedCustomFields(definition.columns, given.customFields)
  return given as T
}

/** The record after the change, with version, timestamps and actor. */
export function nextRecord<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  { operation, previous }: Pick<Draft<T>, 'operation' | 'previous'>,
  values: Partial<T>,
): T & Fields {
  const now = ctx.clock.now().toISOString()
  const actor = actorIdOf(ctx.caller)
  if (!previous) return created(ctx, definition, values, now, actor)
  const before: Fields = previous as T & Fields
  // The row is removed from the table, so the event contains its last values.
  if (operation === 'DELETE' && !hasColumn(definition, 'deletedAt')) return before as T & Fields
  const next: Fields = { ...before, ...values }
  if ('customFields' in values) next.customFields = mergeCustomFields(before.customFields, values.customFields)
  if (operation === 'DELETE') next.deletedAt = now
  if (operation === 'RESTORE') next.deletedAt = null
  // What an app left behind belongs to whoever restores it.
  if (operation === 'RESTORE' && 'managedBy' in before) next.managedBy = ctx.managedBy ?? null
  if (hasColumn(definition, 'version')) {
    Object.assign(next, { version: (before.version as number) + 1, updatedAt: now, updatedById: actor })
  } else if (hasColumn(definition, 'updatedAt')) next.updatedAt = now
  return next as T & Fields
}

function created<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  values: Partial<T>,
  now: string,
  actor: string | null,
): T & Fields {
  const stamped: Fields = { version: 1, createdAt: now, updatedAt: now, createdById: actor, updatedById: actor }
  // A detail has no owner of its own.
  const given: Fields = {
    ownerId: definition.masters ? null : actor,
    ...stamped,
    ...values,
    managedBy: ctx.managedBy ?? null,
  }
  const record = definition.columns.blank()
  for (const name in given) if (Object.hasOwn(record, name)) record[name] = given[name]
  record.id = values.id ?? newRecordId(ctx, definition, values)
  if (record.customFields)
    record.customFields = mergeCustomFields(definition.columns.customDefaults, record.customFields)
  record.organizationId = ctx.caller.organizationId
  if (definition.objectColumn) record[definition.objectColumn] = definition.objectKey ?? definition.object
  return record as T & Fields
}

/** Work that runs again after the calls of hooks gives a record the same id: the values of other records contain it. */
function newRecordId({ externalCalls, extensions }: RequestContext, definition: RecordShape, values: object): string {
  if (!externalCalls || !extensions?.hasHooks) return newId()
  return externalCalls.idOf(externalCalls.numbered(`${definition.object} ${keyOfValues(definition, values)}`))
}

/** The number of a numbered record as people write it. */
export function numberText({ numbered, numberText: text }: RecordShape, record: Readonly<Fields>): Fields {
  return numbered && text ? { [text.column]: `${text.prefix}${String(record[numbered]).padStart(6, '0')}` } : {}
}

export function changedColumns(definition: RecordShape, previous: Fields, next: Fields): readonly Column[] {
  return definition.columns.stored.filter(({ name }) => !isSameValue(previous[name], next[name]))
}
