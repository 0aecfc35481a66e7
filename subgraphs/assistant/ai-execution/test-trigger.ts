import { eventTypeNamed } from '../../events/public.ts'
import { modelUserOf } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { aiTrigger } from '../ai-trigger/ai-trigger.record.ts'
import type { AiTrigger } from '../ai-trigger/ai-trigger.ts'
import type { TriggerContext } from '../ai-trigger/ai-trigger.context.ts'
import { hasModel } from '../answer/modes.ts'
import { readExecutionOf } from './ai-execution.reads.ts'
import type { AiExecution } from './ai-execution.types.ts'
import { answerOf } from './answer.ts'
import { fittingInput, inputMax, type ExecutionInput } from './fitting-input.ts'
import { planOf } from './plan.ts'
import { sightOf } from './sight.ts'

type Json = Readonly<Record<string, unknown>>

/** The given payload, or the sample of the catalog. */
async function inputOf(ctx: RequestContext, { eventType }: AiTrigger, payload: unknown): Promise<ExecutionInput> {
  const occurredAt = ctx.clock.now().toISOString()
  if (payload !== null && payload !== undefined) {
    if (!isJsonObject(payload))
      throw invalid({ path: 'payload', code: 'WRONG_TYPE', message: 'payload must be an object.' })
    if (JSON.stringify(payload).length > inputMax) {
      const message = `payload must have at most ${inputMax} characters as JSON.`
      throw invalid({ path: 'payload', code: 'TOO_LONG', message })
    }
    return { type: eventType, occurredAt, data: payload }
  }
  const entry = eventType === null ? null : await eventTypeNamed(ctx, eventType)
  return fittingInput({ type: eventType, occurredAt, data: (entry?.sample ?? {}) as Json })
}

/**
 * Asks the model once, outside of a transaction, and stores what it answered and the actions that would follow. No action is taken, no limit of the
 * trigger is used up, and conditions are not compared.
 */
export async function testTrigger(ctx: TriggerContext, id: string, payload: unknown): Promise<AiExecution> {
  requireAdministrator(ctx)
  const trigger = await recordsOf(aiTrigger).require(ctx, id)
  const input = await inputOf(ctx, trigger, payload)
  const { organizationId } = ctx.caller
  const asked = { prompt: trigger.prompt, outputSchema: trigger.outputSchema as Json, input }
  const startedAt = ctx.clock.now()
  return transactionWithExternalCalls(ctx, async (inner) => {
    const answered = await externalCall(inner, `test of trigger ${trigger.id}`, async () => {
      const user = await modelUserOf(inner)
      return () => answerOf(ctx.languageModel, hasModel(ctx, user), asked, user)
    })
    const { output, usage, error } = answered
    const now = inner.clock.now()
    const plan = error ? [] : planOf(trigger.actions, { input, output, now })
    const executionId = newId()
    await inner.db.query(
      `insert into assistant.ai_execution (organization_id, id, trigger_id, owner_id, status, is_test, event_type, depth, input, output, plan,
         error_code, error_message, usage, sight, created_at, started_at, completed_at, duration_ms)
       values ($1, $2, $3, $4, $5, true, $6, 0, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $16)`,
      [
        organizationId,
        executionId,
        trigger.id,
        trigger.ownerId,
        error ? 'FAILED' : 'SUCCEEDED',
        trigger.eventType,
        storableJson(input),
        storableJson(output),
        storableJson(plan),
        error?.code ?? null,
        error?.message ?? null,
        usage && storableJson(usage),
        sightOf(ctx.caller),
        startedAt.toISOString(),
        now.toISOString(),
        now.getTime() - startedAt.getTime(),
      ],
      'WRITE',
    )
    return readExecutionOf(inner, executionId)
  })
}
