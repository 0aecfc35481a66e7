import type { Caller } from '../../kernel/context.ts'
import { Refusal, invalid } from '../../kernel/errors.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { mayReadType } from '../../kernel/record/may-read-type.ts'
import { knownReadScope, readScopeOf } from '../../kernel/record/requires-scope.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { namedShapes } from '../named-shapes.ts'
import { digestOf, rightsOf, type SyncCursor } from './sync-cursor.ts'

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

/**
 * The record types of which copies can be kept, with the custom fields and the custom objects of an organization. Who sees a detail follows from its master,
 * whose owner changes without an event of the detail: whoever does not see the records of all owners reads details with their master.
 */
export const syncedShapes = (shapes: OrganizationShapes | null, ownerIds: Caller['ownerIds'] = null): RecordShape[] =>
  recordTypeNamesIn({ shapes })
    .map((object) => recordTypeIn({ shapes }, object)!)
    .filter((shape) => isSynced(shape) && !(shape.masters && ownerIds))
    .map((shape) => shapeFor({ shapes }, shape))

const scopeOf = ({ entity }: RecordShape): string => readScopeOf(entity)

/** All types that the caller may read. */
const readableShapes = ({ shapes, caller }: RequestContext): RecordShape[] =>
  syncedShapes(shapes, caller.ownerIds).filter((shape) => mayReadType(caller, shape))

/** The types of a new snapshot: those that are named, or all that the caller may read. */
export function shapesOfSnapshot(ctx: RequestContext, objects: readonly string[] | null): RecordShape[] {
  if (objects === null) return readableShapes(ctx)
  const what = 'of which copies can be kept'
  return namedShapes(ctx.caller, syncedShapes(ctx.shapes, ctx.caller.ownerIds), {
    names: objects,
    path: 'objects',
    what,
  })
}

/** The types of a cursor. Refuses other objects than those of its snapshot, and a caller who sees something else than then. */
export function shapesOfCursor(
  ctx: RequestContext,
  cursor: SyncCursor,
  objects: readonly string[] | null,
): RecordShape[] {
  const { shapes, names, isWhole } = typesOf(ctx, cursor.objects)
  if (objects !== null && !isSameSet(objects, names))
    throw invalid({
      path: 'objects',
      code: 'NOT_ALLOWED',
      message: 'objects must be those of the snapshot. Leave it out, or read a new snapshot.',
    })
  if (cursor.rights !== rightsOf(ctx.caller, shapes) || !isWhole)
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

/** The types that a cursor means, and whether they are all of those that it meant. */
function typesOf(ctx: RequestContext, objects: SyncCursor['objects']) {
  if (typeof objects === 'string') {
    const shapes = readableShapes(ctx)
    const names = shapes.map(({ object }) => object)
    return { shapes, names, isWhole: digestOf(names) === objects }
  }
  const byName = new Map(syncedShapes(ctx.shapes, ctx.caller.ownerIds).map((shape) => [shape.object, shape]))
  const shapes = objects.flatMap((name) => byName.get(name) ?? [])
  return { shapes, names: objects, isWhole: shapes.length === objects.length }
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).size === other.length && other.every((name) => one.includes(name))
