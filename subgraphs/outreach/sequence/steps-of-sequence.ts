import { invalid } from '../../kernel/errors.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { selectedFields, selectList, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { sequenceStep } from './sequence.record.ts'
import type { SequenceStep } from './sequence-step.ts'

const sequencesMax = 20

/** How many sequences of each operation were read with their steps. */
const readSequences = new WeakMap<object, number>()

/** The steps of a sequence that the caller sees, in their order. */
export async function stepsOfSequence(
  ctx: RequestContext,
  sequenceId: string,
  info: SelectionInfo,
): Promise<SequenceStep[]> {
  const count = (readSequences.get(ctx.batches) ?? 0) + 1
  readSequences.set(ctx.batches, count)
  if (count > sequencesMax) {
    const message = `At most ${sequencesMax} sequences of one request can be read with their steps.`
    throw invalid({ path: 'steps', code: 'TOO_MANY', message })
  }
  const definition = shapeFor(ctx, sequenceStep)
  const predicate = new TenantPredicate(ctx.caller)
  const visible = predicate.live(definition, 't')
  const columns = selectList(definition, selectedFields(info), 't', fieldRules(ctx.caller, definition))
  const rows = await ctx.db.query<SequenceStep>(
    `select ${columns} from ${definition.table} t where t.sequence_id = ${predicate.values.add(sequenceId)} and ${visible}
     order by t.position`,
    predicate.values.list,
    'LIST',
  )
  ctx.answered?.records(definition, rows)
  return rows
}
