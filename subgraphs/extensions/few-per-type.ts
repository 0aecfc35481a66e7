import { publishDefinitions } from '../kernel/extension/current-extensions.ts'
import type { RecordDefinition, SerializedRule, StoredRow } from '../kernel/record/definition.ts'
import { uniqueViolation } from '../kernel/record/unique-violation.ts'

interface ExtendingRow extends StoredRow {
  readonly objectType: string
  readonly name: string
  readonly deletedAt: string | null
}

/** Publishes the definitions: a write that was decided without this change is decided again. */
export const published: SerializedRule<StoredRow> = {
  concerns: () => true,
  // One transaction may change definitions of several types, so the lock of the definitions comes before those of types.
  before: publishDefinitions,
  enforce: () => Promise.resolve([]),
}

/** A record type has at most `max` of them. */
export const fewPerType = <T extends ExtendingRow>(table: string, what: string, max: number): SerializedRule<T> => ({
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }, { objectType }) {
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from ${table} where organization_id = $1 and object_type = $2 and deleted_at is null`,
      [caller.organizationId, objectType],
    )
    if (row!.count < max) return []
    const message = `A record type must have at most ${max} ${what}; delete one first.`
    return [{ path: 'objectType', code: 'TOO_MANY', message }]
  },
})

/** The index refuses it too, but the refusal of the index would name one of any record type with this name. */
export const uniqueNamePerType = <T extends ExtendingRow>(
  table: string,
  definition: () => RecordDefinition<T>,
): SerializedRule<T> => ({
  concerns: (_ctx, next, previous) => !next.deletedAt && next.name !== previous?.name,
  async enforce(ctx, { id, organizationId, objectType, name }) {
    const [other] = await ctx.db.query(
      `select from ${table}
       where organization_id = $1 and object_type = $2 and name = $3 and id <> $4 and deleted_at is null`,
      [organizationId, objectType, name, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      definition(),
      'name',
      (values) => `t.object_type = ${values.add(objectType)} and t.name = ${values.add(name)}`,
    )
  },
})
