import { Refusal, invalid } from '../../kernel/errors.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { knownReadScope, readScopeOf } from '../../kernel/record/requires-scope.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { rightsOf, type SyncCursor } from './sync-cursor.ts'

/**
 * Whether copies of the records can be kept: each change of a record, and each change of who sees it, has an event of the record itself. Records that are seen
 * through another one are read with that one.
 */
const isSynced = (shape: RecordShape): boolean =>
  !shape.isAdministrative &&
  !shape.storedIn &&
  !shape.partsOf &&
  !shape.visibleThrough &&
  !shape.visibleThroughRelated &&
  !shape.events?.payload &&
  hasColumn(shape, 'createdAt') &&
  hasColumn(shape, 'version') &&
  knownReadScope(shape.entity) !== null &&
  Object.values(shape.events?.types ?? {}).some(({ operation }) => operation === 'CREATE')

/** The record types of which copies can be kept, with the custom fields and the custom objects of an organization. */
export const syncedShapes = (shapes: OrganizationShapes | null): RecordShape[] =>
  recordTypeNamesIn({ shapes })
    .map((object) => recordTypeIn({ shapes }, object)!)
    .filter(isSynced)
    .map((shape) => shapeFor({ shapes }, shape))

const scopeOf = ({ entity }: RecordShape): string => readScopeOf(entity)

/** The types of a new snapshot: those that are named, or all that the caller may read. */
export function shapesOfSnapshot(ctx: RequestContext, objects: readonly string[] | null): RecordShape[] {
  const all = syncedShapes(ctx.shapes)
  if (objects === null) {
    const { entitlements } = ctx.caller
    return all.filter(
      (shape) =>
        holdsScope(ctx.caller, scopeOf(shape)) &&
        (shape.entitlement === undefined || entitlements.includes(shape.entitlement)),
    )
  }
  const byName = new Map(all.map((shape) => [shape.object, shape]))
  const unknown = objects.findIndex((name) => !byName.has(name))
  if (unknown >= 0)
    throw invalid({
      path: `objects.${unknown}`,
      code: 'NOT_ALLOWED',
      message: `objects must contain record types of which copies can be kept: ${[...byName.keys()].join(', ')}.`,
    })
  const named = [...new Set(objects)].map((name) => byName.get(name)!)
  requireScopes(
    ctx.caller,
    named.map((shape) => [[scopeOf(shape)]]),
  )
  return named
}

/** The types of a cursor. Refuses other objects than those of its snapshot, and a caller who sees something else than then. */
export function shapesOfCursor(
  ctx: RequestContext,
  cursor: SyncCursor,
  objects: readonly string[] | null,
): RecordShape[] {
  if (objects !== null && !isSameSet(objects, cursor.objects))
    throw invalid({
      path: 'objects',
      code: 'NOT_ALLOWED',
      message: `objects must be those of the snapshot: ${cursor.objects.join(', ')}. Leave it out, or read a new snapshot.`,
    })
  const byName = new Map(syncedShapes(ctx.shapes).map((shape) => [shape.object, shape]))
  const shapes = cursor.objects.flatMap((name) => byName.get(name) ?? [])
  if (cursor.rights !== rightsOf(ctx.caller, shapes) || shapes.length < cursor.objects.length)
    throw new Refusal(
      'SYNC_RESET',
      'What you may see has changed since the snapshot. Read a new snapshot, and replace the copy with it.',
    )
  requireScopes(
    ctx.caller,
    shapes.map((shape) => [[scopeOf(shape)]]),
  )
  return shapes
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).size === other.length && other.every((name) => one.includes(name))
