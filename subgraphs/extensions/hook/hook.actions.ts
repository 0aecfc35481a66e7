import { isOnlyTurnedOff, requireActingScopes, writeScopeOfObject } from '../../kernel/acting-scopes.ts'
import { newId } from '../../kernel/ids.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { programsOf } from '../../kernel/record/managed-by.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { erasedSecrets, newSigningSecret, rotatedSecrets } from '../../kernel/secrets/signing-secret.ts'
import { isExtendedType, objectOfType } from '../extended-type.ts'
import { refuseWrongUrl } from '../receiver-url.ts'
import { requireSightOfAll } from '../require-sight.ts'
import { urlMax } from './bounds.ts'
import { hookSecretPlace } from './hook-secret.ts'
import { beforeSaveHook } from './hook.record.ts'
import type { BeforeSaveHook } from './hook.ts'

export type HookContext = RequestContext<'vault' | 'outbound'>
type HookInput = RecordInput<BeforeSaveHook>

const received = 'which a hook receives'

/** A hook receives the records of a type before they are saved, and changes them. */
const requireScopesOf = ({ caller }: HookContext, { objectType, function: name }: Partial<HookInput>): void =>
  requireActingScopes(caller, [
    ...(objectType && isExtendedType(objectType) ? [writeScopeOfObject(objectOfType(objectType))] : []),
    ...(name ? ['INVOKE_FUNCTIONS'] : []),
  ])

/** Only this answer contains the secret, which signs the calls of an address. */
export async function createHook(ctx: HookContext, input: HookInput): Promise<BeforeSaveHook> {
  requireAdministrator(ctx)
  requireSightOfAll(ctx, received)
  requireScopesOf(ctx, input)
  await refuseWrongUrl(ctx, input, urlMax)
  await loadDataKeys(ctx)
  const { vault, caller } = ctx
  const { organizationId } = caller
  const id = input.id?.toLowerCase() ?? newId()
  const secret = newSigningSecret()
  const record = await save(ctx, beforeSaveHook, {
    operation: 'CREATE',
    previous: null,
    values: { ...input, id } as Partial<BeforeSaveHook>,
    implied: { sealedSecret: vault.seal(organizationId, hookSecretPlace(organizationId, id), secret) },
  })
  return { ...record, secret }
}

export async function updateHook(
  ctx: HookContext,
  id: string,
  input: HookInput,
  expectedVersion: number | null,
): Promise<BeforeSaveHook> {
  requireAdministrator(ctx)
  if (!isOnlyTurnedOff(input)) requireSightOfAll(ctx, received)
  await refuseWrongUrl(ctx, input, urlMax)
  const decide = (previous: BeforeSaveHook, inner: HookContext) => {
    const values = input as Partial<BeforeSaveHook>
    if (!isOnlyTurnedOff(input)) for (const one of programsOf(inner, previous, values)) requireScopesOf(inner, one)
    return { operation: 'UPDATE' as const, values }
  }
  return change(ctx, beforeSaveHook, id, decide, { expectedVersion })
}

export async function deleteHook(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<string> {
  requireAdministrator(ctx)
  const decide = () => ({ operation: 'DELETE' as const, values: {}, implied: erasedSecrets })
  return (await change(ctx, beforeSaveHook, id, decide, { expectedVersion })).id
}

/** Gives the hook a new secret, which only this answer contains: with it, its receiver can be deceived. Until the overlap ends, requests are signed with both. */
export async function regenerateHookSecret(
  ctx: HookContext,
  id: string,
  overlapHours: number,
): Promise<BeforeSaveHook> {
  requireAdministrator(ctx)
  requireSightOfAll(ctx, received)
  await loadDataKeys(ctx)
  const secret = newSigningSecret()
  const decide = (previous: BeforeSaveHook, inner: HookContext) => {
    requireScopesOf(inner, previous)
    const implied = rotatedSecrets(inner, hookSecretPlace, previous, { secret, overlapHours })
    return { operation: 'UPDATE' as const, values: {}, implied, action: 'before_save_hook.secret_regenerated' }
  }
  const record = await change(ctx, beforeSaveHook, id, decide)
  return { ...record, secret }
}
