import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { cancelInterviewsOf } from '../interview/interview-store.ts'
import { requireUnused } from '../used-by.ts'
import { flow } from './flow.record.ts'
import { definitionProblems, isDefinedOtherwise, knowingNamed, requireScopesOfFlow } from './flow.rules.ts'
import type { Flow } from './flow.ts'

type FlowInput = RecordInput<Flow>
type Version = number | null

const flows = recordsOf(flow)

export function createFlow(ctx: RequestContext, input: FlowInput): Promise<Flow> {
  requireAdministrator(ctx)
  requireScopesOfFlow(ctx, input as Partial<Flow>)
  return flows.create(ctx, input)
}

export function updateFlow(ctx: RequestContext, id: string, input: FlowInput, expectedVersion: Version): Promise<Flow> {
  requireAdministrator(ctx)
  const values = input as Partial<Flow>
  const decide = (previous: Flow, inner: RequestContext) => {
    requireScopesOfFlow(inner, previous, values)
    const isNew = isDefinedOtherwise(values, previous)
    return {
      operation: 'UPDATE' as const,
      values,
      ...(isNew && { implied: { flowVersion: previous.flowVersion + 1 } }),
    }
  }
  return change(ctx, flow, id, decide, { expectedVersion, requested: values })
}

/** Lets users run a flow, after it was checked again: what it names may have been deleted since it was saved. */
export function activateFlow(ctx: RequestContext, id: string, expectedVersion: Version): Promise<Flow> {
  requireAdministrator(ctx)
  const decide = async (previous: Flow, inner: RequestContext) => {
    requireScopesOfFlow(inner, previous)
    if (previous.status === 'ACTIVE')
      throw refusalInSituation('The flow is ACTIVE already.', { allowed: ['DRAFT', 'OBSOLETE'] })
    if (previous.startElement === null)
      throw invalid({ path: 'startElement', code: 'REQUIRED', message: 'startElement must be given.' })
    const problems = await definitionProblems(await knowingNamed(inner, previous), previous)
    if (problems.length > 0) throw invalid(...problems)
    return { operation: 'UPDATE' as const, values: {}, implied: { status: 'ACTIVE' as const } }
  }
  return change(ctx, flow, id, decide, { expectedVersion })
}

export function deactivateFlow(ctx: RequestContext, id: string, expectedVersion: Version): Promise<Flow> {
  requireAdministrator(ctx)
  const decide = (previous: Flow) => {
    if (previous.status !== 'ACTIVE')
      throw refusalInSituation(`The flow is ${previous.status}.`, { allowed: ['ACTIVE'] })
    return { operation: 'UPDATE' as const, values: {}, implied: { status: 'OBSOLETE' as const } }
  }
  return change(ctx, flow, id, decide, { expectedVersion })
}

/** Its open interviews are cancelled with it. */
export function deleteFlow(ctx: RequestContext, id: string, expectedVersion: Version): Promise<string> {
  requireAdministrator(ctx)
  return inTransaction({ ...ctx, db: withoutStorageRefusal(ctx.db) }, async (transaction) => {
    const decide = async (previous: Flow, inner: RequestContext) => {
      await requireUnused(inner, 'flow', previous.id)
      return { operation: 'DELETE' as const, values: {} }
    }
    const { id: deleted } = await change(transaction, flow, id, decide, { expectedVersion })
    await cancelInterviewsOf(transaction, deleted)
    return deleted
  })
}
