import { newId } from '../../kernel/ids.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { loadDataKeys } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { erasedSecrets, newSigningSecret, rotatedSecrets } from '../../kernel/secrets/signing-secret.ts'
import type { TriggerContext } from './ai-trigger.context.ts'
import { aiTrigger } from './ai-trigger.record.ts'
import { defaultSchema, refuseProblems, requireRightToChange, type TriggerInput } from './ai-trigger.rules.ts'
import { newInboundToken, secretPlace } from './ai-trigger-secret.ts'
import type { AiTrigger } from './ai-trigger.ts'

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
  const secret = newSigningSecret()
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
    await requireRightToChange(inner, { status }, previous)
    return { operation: 'UPDATE' as const, values: { status } }
  }
  return change(ctx, aiTrigger, id, decide, { expectedVersion })
}

/** What has begun is finished. The secrets are removed; the executions are kept for their time. */
export async function deleteTrigger(ctx: TriggerContext, id: string, expectedVersion: number | null): Promise<string> {
  requireAdministrator(ctx)
  const erased = { inboundToken: null, ...erasedSecrets }
  const decide = () => ({ operation: 'DELETE' as const, values: {}, implied: erased })
  return (await change(ctx, aiTrigger, id, decide, { expectedVersion })).id
}

/** Gives the trigger a new secret, which only this answer contains. The one before is accepted until the overlap ends. */
export async function regenerateSecret(ctx: TriggerContext, id: string, overlapHours: number): Promise<AiTrigger> {
  requireAdministrator(ctx)
  await loadDataKeys(ctx)
  const secret = newSigningSecret()
  const record = await change(ctx, aiTrigger, id, async (previous, inner) => {
    await requireRightToChange(inner, {}, previous)
    return {
      operation: 'UPDATE' as const,
      values: {},
      implied: rotatedSecrets(inner, secretPlace, previous, { secret, overlapHours }),
      action: 'ai_trigger.secret_regenerated',
    }
  })
  return { ...record, secret }
}
