import { newSigningSecret } from '../../events/public.ts'
import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { newId } from '../../kernel/ids.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { inTransaction, loadDataKeys } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { refuseWrongUrl } from '../receiver-url.ts'
import type { FunctionContext } from '../function/function.context.ts'
import { requireUnused } from '../used-by.ts'
import { actionSecretPlace } from './action-secret.ts'
import { customAction } from './custom-action.record.ts'
import { urlMax, type CustomAction } from './custom-action.ts'

type ActionInput = RecordInput<CustomAction>
type Version = number | null

/** Only this answer contains the secret, which signs the requests to a URL. */
export async function createAction(ctx: FunctionContext, input: ActionInput): Promise<CustomAction> {
  requireAdministrator(ctx)
  await refuseWrongUrl(ctx, input, urlMax)
  await loadDataKeys(ctx)
  const { organizationId } = ctx.caller
  const id = input.id?.toLowerCase() ?? newId()
  const secret = newSigningSecret()
  const record = await save(ctx, customAction, {
    operation: 'CREATE',
    previous: null,
    values: { ...input, id } as Partial<CustomAction>,
    implied: { sealedSecret: ctx.vault.seal(organizationId, actionSecretPlace(organizationId, id), secret) },
  })
  return { ...record, secret }
}

export async function updateAction(ctx: FunctionContext, id: string, input: ActionInput, expectedVersion: Version) {
  requireAdministrator(ctx)
  await refuseWrongUrl(ctx, input, urlMax)
  const decide = () => ({ operation: 'UPDATE' as const, values: input as Partial<CustomAction> })
  return change(ctx, customAction, id, decide, { expectedVersion })
}

export async function deleteAction(ctx: FunctionContext, id: string, expectedVersion: Version): Promise<string> {
  requireAdministrator(ctx)
  return inTransaction({ ...ctx, db: withoutStorageRefusal(ctx.db) }, async (transaction) => {
    const decide = async (previous: CustomAction, inner: FunctionContext) => {
      await requireUnused(inner, 'custom_action', previous.id)
      return { operation: 'DELETE' as const, values: {}, implied: { sealedSecret: null } }
    }
    return (await change(transaction, customAction, id, decide, { expectedVersion })).id
  })
}
