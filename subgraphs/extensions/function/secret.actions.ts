import { auditRecord } from '../../identity/public.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { deleteRow, writeChange } from '../../kernel/record/write-change.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { secretsMax, upperNamePattern } from './bounds.ts'
import { lockFunction, requireFunction } from './find-function.ts'
import type { FunctionContext } from './function.context.ts'
import { requireRightToProgram } from './function.rules.ts'
import { secretPlace, type ServerlessFunctionSecret, type ServerlessFunctionSecretDeletion } from './secret.ts'

interface NamedSecret {
  readonly id: string
  readonly name: string
}

const secretChanges: TrackedObject<NamedSecret> = {
  object: 'function_secret',
  audit: auditRecord('function_secret', ({ name }) => ({ name })),
}

/** The names of the secrets of a function. */
export async function secretNames(ctx: RequestContext, key: string): Promise<string[]> {
  requireAdministrator(ctx)
  return [...(await requireFunction(ctx, key)).secretNames]
}

/** Saves the value of a secret, sealed. The function keeps its version, because its settings do not change. */
export async function setSecret(
  ctx: FunctionContext,
  key: string,
  name: string,
  value: string,
): Promise<ServerlessFunctionSecret> {
  requireAdministrator(ctx)
  if (!upperNamePattern.test(name)) throw notFound('The secret')
  await loadDataKeys(ctx)
  return inTransaction(ctx, async (inner) => {
    const { id, secretNames: names } = await requireProgrammable(inner, key)
    const { vault, caller, clock } = inner
    const { organizationId } = caller
    const updatedAt = clock.now().toISOString()
    const isNew = !names.includes(name)
    if (isNew && names.length >= secretsMax) {
      const message = `A function must have at most ${secretsMax} secrets; delete one first.`
      throw invalid({ path: 'name', code: 'TOO_MANY', message })
    }
    const sealed = vault.seal(organizationId, secretPlace(organizationId, id, name), value)
    const next = { id, name }
    const change = { operation: isNew ? ('CREATE' as const) : ('UPDATE' as const), previous: isNew ? null : next, next }
    await writeChange(
      inner,
      secretChanges,
      change,
      (values) =>
        `insert into extensions.function_secret (organization_id, function_id, name, sealed_value, updated_at)
         values (${[organizationId, id, name, sealed, updatedAt].map((each) => values.add(each)).join(', ')})
         on conflict (organization_id, function_id, name)
           do update set sealed_value = excluded.sealed_value, updated_at = excluded.updated_at
         returning 1`,
    )
    return { name, updatedAt }
  })
}

export async function deleteSecret(
  ctx: RequestContext,
  key: string,
  name: string,
): Promise<ServerlessFunctionSecretDeletion> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { id } = await requireProgrammable(inner, key)
    const row = { organization_id: inner.caller.organizationId, function_id: id, name }
    const previous = { id, name }
    const isDeleted =
      upperNamePattern.test(name) &&
      (await writeChange(inner, secretChanges, { operation: 'DELETE', previous, next: previous }, (values) =>
        deleteRow(values, 'extensions.function_secret', row),
      ))
    if (!isDeleted) throw notFound('The secret')
    return { name, deleted: true }
  })
}

/** The locked function, of a caller who may decide what it does. */
async function requireProgrammable(ctx: RequestContext, key: string) {
  const found = await requireFunction(ctx, key)
  await requireRightToProgram(ctx, found)
  await lockFunction(ctx, found.id)
  return requireFunction(ctx, found.id)
}
