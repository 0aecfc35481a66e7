import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import type { SerializedRule, StoredRow } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { unknownObject } from '../extended-type.ts'

/** Record types by the paths at which something names them. */
export type NamedTypes = readonly (readonly [path: string, type: string])[]

/** The problems of custom objects that do not exist. Those that do stay locked until the transaction ends, so that they are not deleted meanwhile. */
export async function namedObjectProblems({ db, caller }: RequestContext, named: NamedTypes): Promise<FieldProblem[]> {
  const objects = named.flatMap(([path, type]) => {
    const name = customObjectName(type)
    return name === null ? [] : [{ path, name }]
  })
  if (objects.length === 0) return []
  const rows = await db.query<{ name: string }>(
    `select name from extensions.custom_object
     where organization_id = $1 and name = any($2) and deleted_at is null order by name for share`,
    [caller.organizationId, [...new Set(objects.map(({ name }) => name))]],
  )
  const existing = new Set(rows.map(({ name }) => name))
  return objects.flatMap(({ path, name }) => (existing.has(name) ? [] : [unknownObject(path)]))
}

/** The rule that the custom objects exist that a record names, as long as it is not deleted. */
export const namedObjectsExist = <T extends StoredRow & { readonly deletedAt: string | null }>(
  typesOf: (record: T) => NamedTypes,
): SerializedRule<T> => {
  const objectsOf = (record: T | null): NamedTypes =>
    (record ? typesOf(record) : []).filter(([, type]) => customObjectName(type) !== null)
  const added = (next: T, previous: T | null): NamedTypes => {
    const known = new Set(objectsOf(previous).map(([, type]) => type))
    return objectsOf(next).filter(([, type]) => !known.has(type))
  }
  return {
    concerns: (_ctx, next, previous) => next.deletedAt === null && added(next, previous).length > 0,
    enforce: (ctx, next, previous) => namedObjectProblems(ctx, added(next, previous)),
  }
}
