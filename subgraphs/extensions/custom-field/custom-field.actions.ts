import { invalid } from '../../kernel/errors.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { redact } from '../../kernel/record/field-security.ts'
import { refuse } from '../../kernel/record/prepare-change.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireRight } from '../../kernel/record/save.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { customField, fieldTable } from './custom-field.record.ts'
import type { CustomField } from './custom-field.ts'
import { knownEntityProblems } from './field-entity.ts'

const fields = recordsOf(customField)

export async function createField(
  ctx: RequestContext,
  input: Partial<CustomField>,
  besides: Partial<CustomField> = {},
): Promise<CustomField> {
  requireAdministrator(ctx)
  const sortOrder = input.sortOrder ?? (await nextPosition(ctx, input.entity!))
  return fields.create(ctx, input, { sortOrder, ...besides })
}

async function nextPosition({ db, caller }: RequestContext, entity: string): Promise<number> {
  const [row] = await db.query<{ position: number }>(
    `select least(coalesce(max(sort_order) + 1, 0), 1000000)::int as position from ${fieldTable}
     where organization_id = $1 and entity = $2 and deleted_at is null`,
    [caller.organizationId, entity],
  )
  return row!.position
}

/** Gives the fields of a record type the positions that they have in the list, which must name each of them once. */
export function reorderFields(ctx: RequestContext, entity: string, ids: readonly string[]): Promise<CustomField[]> {
  requireAdministrator(ctx)
  requireRight(ctx, customField, { sortOrder: 0 })
  refuse(knownEntityProblems(ctx, entity))
  return inTransaction(ctx, async (inner) => {
    await lockSerializedRules(inner, customField)
    const before = await fieldsOf(inner, entity)
    const positions = new Map(ids.map((id, index) => [id.toLowerCase(), index]))
    const isPermutation = ids.length === before.length && before.every(({ id }) => positions.has(id))
    if (!isPermutation) {
      const message = `fieldIds must contain the id of each of the ${before.length} custom fields of the record type exactly once.`
      throw invalid({ path: 'fieldIds', code: 'NOT_A_PERMUTATION', message })
    }
    const moved = before.filter(({ id, sortOrder }) => sortOrder !== positions.get(id)).map(({ id }) => id)
    await changeAll(inner, customField, moved, ({ id }) => ({ sortOrder: positions.get(id)! }))
    const after = await fieldsOf(inner, entity)
    for (const { id } of after) ctx.answered?.record(customField, id)
    return after.map((field) => redact(ctx.caller, customField, field))
  })
}

const fieldsOf = ({ db, caller }: RequestContext, entity: string): Promise<CustomField[]> =>
  db.query<CustomField & Record<string, unknown>>(
    `select ${selectList(customField, allColumnNames(customField), 't', null)} from ${fieldTable} t
     where t.organization_id = $1 and t.entity = $2 and t.deleted_at is null order by t.sort_order, t.created_at, t.id`,
    [caller.organizationId, entity],
  )
