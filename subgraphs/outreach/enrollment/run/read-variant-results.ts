import { totalsTable } from '../../../kernel/record/maintained-totals.ts'
import { computedOver } from '../../../kernel/record/predicate.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { sequenceAttempt } from '../attempt.record.ts'
import type { ReadStep } from '../sequence-reading.ts'
import type { VariantResult } from '../variant-shares.ts'

/** By id of a step, then of a variant. */
export type VariantResults = ReadonlyMap<string, ReadonlyMap<string, VariantResult>>

/** The results of the variants of those steps that have several, from the maintained totals. */
export async function readVariantResults(ctx: RequestContext, steps: readonly ReadStep[]): Promise<VariantResults> {
  const compared = steps.filter(({ variants }) => variants.length > 1)
  if (compared.length === 0) return new Map()
  const predicate = computedOver(ctx)
  const inOrganization = predicate.totals(sequenceAttempt, 't', ['CHANGE', 'GROUP'])
  const ofSequences = predicate.values.add([...new Set(compared.map(({ sequenceId }) => sequenceId))])
  const ofSteps = predicate.values.add(compared.map(({ id }) => id))
  const rows = await ctx.db.query<VariantResult & { stepId: string; variantId: string }>(
    `select t.step_id as "stepId", t.variant_id as "variantId", sum(t.n)::int as sent, sum(t.replied)::int as replied
     from ${totalsTable(sequenceAttempt)} t
     where ${inOrganization} and t.sequence_id = any(${ofSequences}::uuid[]) and t.step_id = any(${ofSteps}::uuid[])
       and t.variant_id is not null and t.result = 'SENT'
     group by t.step_id, t.variant_id`,
    predicate.values.list,
  )
  const byStep = Map.groupBy(rows, ({ stepId }) => stepId)
  return new Map([...byStep].map(([stepId, ofStep]) => [stepId, new Map(ofStep.map((row) => [row.variantId, row]))]))
}
