import { refusalInSituation } from './transitions.ts'
import type { RequestContext } from '../request.ts'
import { Column, type Column as ColumnOf } from './column.ts'
import { hasColumn, type RecordDefinition, type StoredRow } from './definition.ts'
import { nameOf } from './describe.ts'
import type { Operation } from './event-types.ts'
import { bookkeeping } from './record-events.ts'

// What an app brings to an organization is changed by the app alone: by its installation, its updates and its removal.

/** The column of record types that apps bring: the slug of the app, null for what the organization made itself. */
export const ManagedBy = () =>
  Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    example: null,
    description:
      'Slug of the installed app that brought it; null if the organization made it. What an app brought changes with the app only, except for secrets and for turning it on and off.',
  })

/** What an organization decides for itself also where an app brought the record. */
const own: ReadonlySet<string> = new Set(['ownerId', 'externalId', 'tags', 'metadata', 'customFields', 'isActive'])

interface ManagedRow {
  readonly managedBy?: string | null
}

/** Throws 409 unless the app that brought the record changes it, or nobody brought it and no app changes it. */
export function refuseManaged<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  operation: Operation,
  previous: T,
  changed: readonly ColumnOf[],
): void {
  if (!hasColumn(definition, 'managedBy') || operation === 'RESTORE' || ctx.caller.kind === 'SYSTEM') return
  const { managedBy = null } = previous as ManagedRow
  if (managedBy === (ctx.managedBy ?? null)) return
  const locals: ReadonlySet<string> = new Set(definition.localColumns)
  const isLocal = ({ name }: ColumnOf): boolean => bookkeeping.has(name) || own.has(name) || locals.has(name)
  if (operation !== 'DELETE' && managedBy !== null && ctx.managedBy === undefined && changed.every(isLocal)) return
  throw refusalOfManaged(definition, managedBy)
}

/** What the scopes of the caller must cover: what an automation does and what it will do. Of what an app does no longer, it needs no scopes. */
export const programsOf = <T extends object>(ctx: RequestContext, previous: T, given: Partial<T>): Partial<T>[] =>
  ctx.managedBy === undefined ? [previous, given] : [{ ...previous, ...given }]

/** Whether the app that brought a component deploys it: also where it is unchanged, the granted scopes may be others. */
export const isDeployedByItsApp = (ctx: Pick<RequestContext, 'managedBy'>, { managedBy }: ManagedRow): boolean =>
  ctx.managedBy !== undefined && ctx.managedBy === managedBy

/** The refusal of a change of something that belongs to an app, or to the organization itself and not to the app that changes it. */
export const refusalOfManaged = (definition: Parameters<typeof nameOf>[0], managedBy: string | null) =>
  refusalInSituation(
    managedBy === null
      ? `The ${nameOf(definition)} belongs to the organization, not to the app.`
      : `The ${nameOf(definition)} belongs to the app ${managedBy}: it changes with the app only, and is removed with it.`,
    { managedBy },
  )

/** Throws 409 unless a part of the record, such as a version or a test of a function, is changed by the app that brought the record, or by nobody's app. */
export function requireOwnPart(
  ctx: RequestContext,
  definition: Parameters<typeof nameOf>[0],
  { managedBy }: ManagedRow,
): void {
  if ((managedBy ?? null) !== (ctx.managedBy ?? null)) throw refusalOfManaged(definition, managedBy ?? null)
}
