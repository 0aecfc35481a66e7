import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { sequenceStep } from './sequence.record.ts'
import { sequenceStates } from './sequence.rules.ts'
import type { Sequence } from './sequence.ts'
import { stepsMax, type SequenceStep } from './sequence-step.ts'
import { orderProblems } from './step-graph.ts'
import { textLengthOf } from './step.rules.ts'

/** Most characters of all steps of a sequence together. */
export const textMax = 500_000

/** The live steps of a sequence in their order, whoever sees the sequence. */
export function stepsOf(ctx: RequestContext, sequenceId: string): Promise<SequenceStep[]> {
  const columns = selectList(sequenceStep, allColumnNames(sequenceStep), 't', null)
  return ctx.db.query<SequenceStep>(
    `select ${columns} from ${sequenceStep.table} t
     where t.organization_id = $1 and t.sequence_id = $2 and t.deleted_at is null order by t.position limit ${stepsMax + 1}`,
    [ctx.caller.organizationId, sequenceId],
  )
}

/** The mails of active steps of a running sequence must have templates that can be sent. */
async function templateProblems(ctx: RequestContext, steps: readonly SequenceStep[]): Promise<FieldProblem[]> {
  const used = steps.filter(({ isActive, templateId }) => isActive && templateId !== null)
  if (used.length === 0) return []
  const active = await ctx.db.query<{ id: string }>(
    `select id from outreach.email_template
     where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null and status = 'ACTIVE'`,
    [ctx.caller.organizationId, used.map(({ templateId }) => templateId)],
  )
  const ids = new Set(active.map(({ id }) => id))
  return used
    .filter(({ templateId }) => !ids.has(templateId!))
    .map(({ id, position }) => ({
      path: 'templateId',
      code: 'NOT_ACTIVE',
      message: `The template of the step ${position} must be ACTIVE.`,
      stepId: id,
    }))
}

/** What an ACTIVE sequence needs: a step to execute, and templates that can be sent. */
export async function requireRunnable(
  ctx: RequestContext,
  previous: Sequence,
  steps: readonly SequenceStep[],
): Promise<void> {
  if (!steps.some(({ isActive }) => isActive)) {
    const message = 'An ACTIVE sequence must have at least one active step.'
    throw await refusalInState(ctx, sequenceStates, previous, message)
  }
  const problems = await templateProblems(ctx, steps)
  if (problems.length > 0) throw invalid(...problems)
}

/** What must hold for the steps of a sequence together, after every change of one of them. */
export async function checkSteps(
  ctx: RequestContext,
  previous: Sequence,
  steps: readonly SequenceStep[],
): Promise<void> {
  if (steps.length > stepsMax) {
    const message = `A sequence must have at most ${stepsMax} steps.`
    throw invalid({ path: 'steps', code: 'TOO_MANY', message })
  }
  const length = steps.reduce((sum, step) => sum + textLengthOf(step), 0)
  if (length > textMax) {
    const message = `The steps of a sequence must have at most ${textMax.toLocaleString('en')} characters together; they have ${length.toLocaleString('en')}.`
    throw invalid({ path: 'bodyHtml', code: 'TOO_LONG', message })
  }
  const problems = orderProblems(steps)
  if (problems.length > 0) throw invalid(...problems)
  if (previous.status === 'ACTIVE') await requireRunnable(ctx, previous, steps)
}
