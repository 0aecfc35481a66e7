import { isOnlyTurnedOff, readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { newId } from '../../kernel/ids.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { programsOf } from '../../kernel/record/managed-by.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { inTransaction, loadDataKeys } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { erasedSecrets, newSigningSecret, rotatedSecrets } from '../../kernel/secrets/signing-secret.ts'
import { isExtendedType, objectOfType } from '../extended-type.ts'
import { refuseWrongUrl } from '../receiver-url.ts'
import { requireSightOfAll } from '../require-sight.ts'
import type { FunctionContext } from '../function/function.context.ts'
import { requireUnused } from '../used-by.ts'
import { actionSecretPlace } from './action-secret.ts'
import { customAction } from './custom-action.record.ts'
import { urlMax, type CustomAction } from './custom-action.ts'
import { hasMappings, mappingScopes } from './mapping.rules.ts'

type ActionInput = RecordInput<CustomAction>
type Version = number | null

/** An action sends the record for which it runs to its URL or its function, and may change it. Runs read and change it with the rights of others. */
function requireRightsOf({ caller }: FunctionContext, input: Partial<ActionInput>): void {
  const { objectTypes, function: name, inputMapping = null, outputMapping = null } = input
  const mappings = { inputMapping, outputMapping }
  requireActingScopes(caller, [
    ...(objectTypes ?? [])
      .filter(isExtendedType)
      .flatMap((type) => [readScopeOfObject(objectOfType(type)), ...mappingScopes(mappings, type)]),
    ...(name ? ['INVOKE_FUNCTIONS'] : []),
  ])
  if (hasMappings(mappings)) requireSightOfAll({ caller }, 'which the mappings of an action read and change')
}

/** Only this answer contains the secret, which signs the requests to a URL. */
export async function createAction(ctx: FunctionContext, input: ActionInput): Promise<CustomAction> {
  requireAdministrator(ctx)
  requireRightsOf(ctx, input)
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
  const decide = (previous: CustomAction, inner: FunctionContext) => {
    const values = input as Partial<CustomAction>
    const next = { ...previous, ...values }
    if (!isOnlyTurnedOff(input)) for (const one of programsOf(inner, previous, next)) requireRightsOf(inner, one)
    return { operation: 'UPDATE' as const, values }
  }
  return change(ctx, customAction, id, decide, { expectedVersion })
}

export async function deleteAction(ctx: FunctionContext, id: string, expectedVersion: Version): Promise<string> {
  requireAdministrator(ctx)
  return inTransaction({ ...ctx, db: withoutStorageRefusal(ctx.db) }, async (transaction) => {
    const decide = async (previous: CustomAction, inner: FunctionContext) => {
      await requireUnused(inner, 'custom_action', previous.id)
      return { operation: 'DELETE' as const, values: {}, implied: erasedSecrets }
    }
    return (await change(transaction, customAction, id, decide, { expectedVersion })).id
  })
}

/** Gives the action a new secret, which only this answer contains: with it, its receiver can be deceived. Until the overlap ends, requests are signed with both. */
export async function regenerateActionSecret(
  ctx: FunctionContext,
  id: string,
  overlapHours: number,
): Promise<CustomAction> {
  requireAdministrator(ctx)
  await loadDataKeys(ctx)
  const secret = newSigningSecret()
  const decide = (previous: CustomAction, inner: FunctionContext) => {
    requireRightsOf(inner, previous)
    const implied = rotatedSecrets(inner, actionSecretPlace, previous, { secret, overlapHours })
    return { operation: 'UPDATE' as const, values: {}, implied, action: 'custom_action.secret_regenerated' }
  }
  const record = await change(ctx, customAction, id, decide)
  return { ...record, secret }
}
