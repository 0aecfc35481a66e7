import { newId } from '../../kernel/ids.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { loadDataKeys } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { TriggerContext } from './ai-trigger.context.ts'
import { aiTrigger } from './ai-trigger.record.ts'
import { defaultSchema, refuseProblems, requireRightToChange, type TriggerInput } from './ai-trigger.rules.ts'
import { newInboundToken, newSecret, secretPlace } from './ai-trigger-secret.ts'
import type { AiTrigger } from './ai-trigger.ts'

const hourMs = 3_600_000

const sealSecret = ({ vault, caller: { organizationId } }: TriggerContext, id: string, secret: string): string =>
  vault.seal(organizationId, secretPlace(organizationId, id), secret)

/** A schema that is null is the standard one. */
const withSchema = (input: TriggerInput): Partial<AiTrigger> =>
  (input.outputSchema === null ? { ...input, outputSchema: defaultSchema } : input) as Partial<AiTrigger>

/** Only this answer contains the secret. */
export async function createTrigger(ctx: TriggerContext, input: TriggerInput): Promise<AiTrigger> {
  requireAdministrator(ctx)
  await requireRightToChange(ctx, input, null)
  await refuseProblems(ctx, input, null)
  await loadDataKeys(ctx)
  const id = input.id?.toLowerCase() ?? newId()
  const secret = newSecret()
  const record = await save(ctx, aiTrigger, {
    operation: 'CREATE',
    previous: null,
    values: { ...withSchema(input), id },
    implied: { inboundToken: newInboundToken(), sealedSecret: sealSecret(ctx, id, secret) },
  })
  return { ...record, secret }
}

export function updateTrigger(
  ctx: TriggerContext,
  id: string,
  input: TriggerInput,
  expectedVersion: number | null,
): Promise<AiTrigger> {
  requireAdministrator(ctx)
  const decide = async (previous: AiTrigger, inner: TriggerContext) => {
    await requireRightToChange(inner, input, previous)
    await refuseProblems(inner, input, previous)
    return { operation: 'UPDATE' as const, values: withSchema(input) }
  }
  return change(ctx, aiTrigger, id, decide, { expectedVersion })
}

export function toggleTrigger(ctx: TriggerContext, id: string, expectedVersion: number | null): Promise<AiTrigger> {
  requireAdministrator(ctx)
  const decide = async (previous: AiTrigger, inner: TriggerContext) => {
    const status = previous.status === 'ACTIVE' ? ('PAUSED' as const) : ('ACTIVE' as const)
    await requireRightToChange(inner, {}, previous)
    return { operation: 'UPDATE' as const, values: { status } }
  }
  return change(ctx, aiTrigger, id, decide, { expectedVersion })
}

/** What has begun is finished. The secrets are removed; the executions are kept for their time. */
export async function deleteTrigger(ctx: TriggerContext, id: string, expectedVersion: number | null): Promise<string> {
  requireAdministrator(ctx)
  const erased = { inboundToken: null, sealedSecret: null, sealedPreviousSecret: null }
  const decide = () => ({ operation: 'DELETE' as const, values: {}, implied: erased })
  return (await change(ctx, aiTrigger, id, decide, { expectedVersion })).id
}

/** Gives the trigger a new secret, which only this answer contains. The one before is accepted until the overlap ends. */
export async function regenerateSecret(ctx: TriggerContext, id: string, overlapHours: number): Promise<AiTrigger> {
  requireAdministrator(ctx)
  await loadDataKeys(ctx)
  const previousSecretExpiresAt = new Date(ctx.clock.now().getTime() + overlapHours * hourMs).toISOString()
  const secret = newSecret()
  const record = await change(ctx, aiTrigger, id, async (previous, inner) => {
    await requireRightToChange(inner, {}, previous)
    return {
      operation: 'UPDATE' as const,
      values: {},
      implied: {
        sealedSecret: sealSecret(inner, previous.id, secret),
        sealedPreviousSecret: overlapHours > 0 ? previous.sealedSecret : null,
        previousSecretExpiresAt,
      },
      action: 'ai_trigger.secret_regenerated',
    }
  })
  return { ...record, secret }
}
