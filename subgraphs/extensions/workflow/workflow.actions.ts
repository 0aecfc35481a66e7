import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { programsOf } from '../../kernel/record/managed-by.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { newSigningSecret } from '../../kernel/secrets/signing-secret.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { wakeWaitingRuns } from './run-store.ts'
import { eventTypesOf, triggerProblems } from './trigger.ts'
import type { WorkflowContext } from './workflow.context.ts'
import { workflow } from './workflow.record.ts'
import { isNewVersion, requireRightToProgram, stepsProblems } from './workflow.rules.ts'
import { newHookToken, secretPlace } from './workflow-secret.ts'
import type { Workflow } from './workflow.ts'

export type WorkflowInput = RecordInput<Workflow>

const sealSecret = ({ vault, caller: { organizationId } }: WorkflowContext, id: string, secret: string): string =>
  vault.seal(organizationId, secretPlace(organizationId, id), secret)

/** The types of the events of a trigger; none of one that is refused. */
const eventTypes = (next: Pick<Workflow, 'triggerType' | 'triggerEntity' | 'triggerConfig'>): string[] =>
  triggerProblems(next).length > 0 ? [] : eventTypesOf(next)

/** Null stands for the value of an empty field. */
const given = (input: WorkflowInput): Partial<Workflow> => ({
  ...(input as Partial<Workflow>),
  ...(input.triggerConfig === null && { triggerConfig: {} }),
})

/** Only this answer contains the secret. */
export async function createWorkflow(ctx: WorkflowContext, input: WorkflowInput): Promise<Workflow> {
  requireAdministrator(ctx)
  await requireRightToProgram(ctx, given(input))
  await loadDataKeys(ctx)
  const id = input.id?.toLowerCase() ?? newId()
  const secret = newSigningSecret()
  const values = given(input)
  const { triggerType, triggerEntity = null, triggerConfig = {} } = values
  const record = await save(ctx, workflow, {
    operation: 'CREATE',
    previous: null,
    values: { ...values, id },
    implied: {
      ...(input.runAsUserId == null && { runAsUserId: ctx.caller.userId }),
      eventTypes: triggerType ? eventTypes({ triggerType, triggerEntity, triggerConfig }) : [],
      hookToken: newHookToken(),
      sealedSecret: sealSecret(ctx, id, secret),
    },
  })
  return { ...record, secret }
}

export function updateWorkflow(
  ctx: WorkflowContext,
  id: string,
  input: WorkflowInput,
  expectedVersion: number | null,
): Promise<Workflow> {
  requireAdministrator(ctx)
  const decide = async (previous: Workflow, inner: WorkflowContext) => {
    const values = given(input)
    const next = { ...previous, ...values }
    await requireRightToProgram(inner, ...programsOf(inner, previous, next))
    return {
      operation: 'UPDATE' as const,
      values,
      implied: {
        eventTypes: eventTypes(next),
        ...(isNewVersion(values, previous) && { stepsVersion: previous.stepsVersion + 1 }),
      },
    }
  }
  return change(ctx, workflow, id, decide, { expectedVersion })
}

/** Turns a workflow on, after its steps were checked again: what they name may have been deleted since they were saved. */
export function activateWorkflow(ctx: WorkflowContext, id: string, expectedVersion: number | null): Promise<Workflow> {
  requireAdministrator(ctx)
  const decide = async (previous: Workflow, inner: WorkflowContext) => {
    await requireRightToProgram(inner, previous)
    if (previous.status === 'ACTIVE')
      throw refusalInSituation('The workflow is ACTIVE already.', { allowed: ['PAUSED'] })
    if (previous.steps.length === 0)
      throw invalid({ path: 'steps', code: 'REQUIRED', message: 'steps must have at least one step.' })
    const problems = await stepsProblems(inner, previous)
    if (problems.length > 0) throw invalid(...problems)
    return { operation: 'UPDATE' as const, values: {}, implied: { status: 'ACTIVE' as const, pausedReason: null } }
  }
  return change(ctx, workflow, id, decide, { expectedVersion })
}

/** Every admin may pause a workflow. */
export function pauseWorkflow(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Workflow> {
  requireAdministrator(ctx)
  const decide = (previous: Workflow) => {
    if (previous.status === 'PAUSED')
      throw refusalInSituation('The workflow is PAUSED already.', { allowed: ['ACTIVE'] })
    return { operation: 'UPDATE' as const, values: {}, implied: { status: 'PAUSED' as const, pausedReason: null } }
  }
  return change(ctx, workflow, id, decide, { expectedVersion })
}

/** Runs that have begun are CANCELLED at their next step, and those that wait at once. */
export async function deleteWorkflow(
  ctx: WorkflowContext,
  id: string,
  expectedVersion: number | null,
): Promise<string> {
  requireAdministrator(ctx)
  const decide = () => ({ operation: 'DELETE' as const, values: {}, implied: { hookToken: null, sealedSecret: null } })
  const deleted = await change(ctx, workflow, id, decide, { expectedVersion })
  await wakeWaitingRuns(ctx.db, ctx.caller.organizationId, deleted.id)
  return deleted.id
}

/** Gives the workflow a new secret, which only this answer contains. The one before ends at once. */
export async function regenerateWorkflowSecret(ctx: WorkflowContext, id: string): Promise<Workflow> {
  requireAdministrator(ctx)
  await loadDataKeys(ctx)
  const secret = newSigningSecret()
  const record = await change(ctx, workflow, id, async (previous, inner) => {
    await requireRightToProgram(inner, previous)
    return {
      operation: 'UPDATE' as const,
      values: {},
      implied: { sealedSecret: sealSecret(inner, previous.id, secret) },
      action: 'workflow.secret_regenerated',
    }
  })
  return { ...record, secret }
}
