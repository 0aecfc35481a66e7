import type { RecordDefinition, SerializedRule } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { uniqueViolation } from '../../kernel/record/unique-violation.ts'
import type { Pipeline } from './pipeline.ts'

const pipelinesMax = 500

/** When a pipeline becomes the default, the former default ceases to be. */
export const oneDefaultPipeline = (pipeline: () => RecordDefinition<Pipeline>): SerializedRule<Pipeline> => ({
  concerns: (_ctx, next, previous) => next.isDefault && !previous?.isDefault,
  async enforce(ctx, next) {
    const former = await ctx.db.query<{ id: string }>(
      'select id from crm.pipeline where organization_id = $1 and is_default and id <> $2',
      [next.organizationId, next.id],
    )
    for (const { id } of former)
      await change(ctx, pipeline(), id, () => ({ operation: 'UPDATE', values: {}, implied: { isDefault: false } }))
    return []
  },
})

export const uniqueName = (pipeline: () => RecordDefinition<Pipeline>): SerializedRule<Pipeline> => ({
  concerns: (_ctx, next, previous) => next.name !== previous?.name,
  async enforce(ctx, { organizationId, id, name }) {
    const [other] = await ctx.db.query(
      'select 1 from crm.pipeline where organization_id = $1 and lower(name) = lower($2) and id <> $3',
      [organizationId, name, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      pipeline(),
      'name',
      (values) => `lower(t.name) = lower(${values.add(name)}) and t.id <> ${values.add(id)}`,
    )
  },
})

/** An organization has a limited number of pipelines, because the deal board and the totals are kept for each. */
export const fewPipelines: SerializedRule<Pipeline> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce(ctx, { organizationId }) {
    const [row] = await ctx.db.query<{ count: number }>(
      'select count(*)::int as count from crm.pipeline where organization_id = $1',
      [organizationId],
    )
    if (row!.count < pipelinesMax) return []
    const message = `An organization must have at most ${pipelinesMax} pipelines. Change an existing one instead.`
    return [{ path: 'name', code: 'TOO_MANY', message }]
  },
}
