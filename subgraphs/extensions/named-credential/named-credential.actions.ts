import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { requireUnused } from '../used-by.ts'
import { namedCredential } from './named-credential.record.ts'
import { addressProblems, losesSecret, secretProblems } from './named-credential.rules.ts'
import type { NamedCredential } from './named-credential.ts'
import { secretPlace } from './secret.ts'

export const credentialPorts = ['vault', 'outbound'] as const
export type CredentialContext = RequestContext<(typeof credentialPorts)[number]>
export type CredentialInput = RecordInput<NamedCredential>

const credentials = recordsOf(namedCredential)

async function refuseAddresses(ctx: CredentialContext, given: CredentialInput) {
  const problems = await addressProblems(ctx.outbound, given)
  if (problems.length > 0) throw invalid(...problems)
}

export async function createCredential(ctx: CredentialContext, input: CredentialInput): Promise<NamedCredential> {
  requireAdministrator(ctx)
  await refuseAddresses(ctx, input)
  return credentials.create(ctx, input, { sealedSecret: null })
}

export async function updateCredential(
  ctx: CredentialContext,
  id: string,
  input: CredentialInput,
  expectedVersion: number | null,
): Promise<NamedCredential> {
  requireAdministrator(ctx)
  await refuseAddresses(ctx, input)
  return inTransaction(ctx, async (transaction) => {
    await lockSerializedRules(transaction, namedCredential)
    return change(
      transaction,
      namedCredential,
      id,
      async (previous, inner) => {
        const values = input as Partial<NamedCredential>
        const isLost = losesSecret(previous, values)
        if (Object.keys(input).some((name) => ofTokens.has(name))) await forgetToken(inner, previous.id)
        return { operation: 'UPDATE', values, ...(isLost && { implied: { sealedSecret: null } }) }
      },
      { expectedVersion },
    )
  })
}

const ofTokens: ReadonlySet<string> = new Set(['authType', 'baseUrl', 'tokenUrl', 'clientId', 'scopes'])

/** Deletes a credential that nothing uses, with its secret and its tokens. */
export async function deleteCredential(
  ctx: CredentialContext,
  id: string,
  expectedVersion: number | null,
): Promise<string> {
  requireAdministrator(ctx)
  return inTransaction({ ...ctx, db: withoutStorageRefusal(ctx.db) }, async (transaction) => {
    await lockSerializedRules(transaction, namedCredential)
    const deleted = await change(
      transaction,
      namedCredential,
      id,
      async (previous, inner) => {
        await lockCredential(inner, previous.id)
        await requireUnused(inner, 'named_credential', previous.id)
        await forgetToken(inner, previous.id)
        return { operation: 'DELETE', values: {}, implied: { sealedSecret: null } }
      },
      { expectedVersion },
    )
    return deleted.id
  })
}

/** Saves the secret of a credential, sealed; tokens that were issued for the former one are forgotten. */
export async function setCredentialSecret(
  ctx: CredentialContext,
  key: string,
  secret: string,
): Promise<NamedCredential> {
  requireAdministrator(ctx)
  // A credential that does not exist makes no data key.
  const { id } = await credentials.require(ctx, await idOfCredential(ctx, key))
  await loadDataKeys(ctx)
  return inTransaction(ctx, async (transaction) => {
    await lockSerializedRules(transaction, namedCredential)
    return change(transaction, namedCredential, id, async (previous, inner) => {
      if (previous.authType === 'NONE')
        throw refusalInSituation('A named credential of the authType NONE has no secret.')
      const problems = secretProblems(previous.authType, secret)
      if (problems.length > 0) throw invalid(...problems)
      const { vault, caller } = inner
      await forgetToken(inner, previous.id)
      const sealedSecret = vault.seal(caller.organizationId, secretPlace(caller.organizationId, previous.id), secret)
      return { operation: 'UPDATE', values: {}, implied: { sealedSecret } }
    })
  })
}

async function idOfCredential({ db, caller }: RequestContext, key: string): Promise<string> {
  if (isId(key)) return key.toLowerCase()
  const [row] = apiNamePattern.test(key)
    ? await db.query<{ id: string }>(
        'select id from extensions.named_credential where organization_id = $1 and api_name = $2 and deleted_at is null',
        [caller.organizationId, key],
      )
    : []
  if (!row) throw notFound('The named credential')
  return row.id
}

/** What refers to the credential, or is about to, waits until the transaction ends. */
const lockCredential = ({ db, caller }: RequestContext, id: string): Promise<unknown> =>
  db.query(
    'select from extensions.named_credential where organization_id = $1 and id = $2 for update',
    [caller.organizationId, id],
    'WRITE',
  )

/** Also ends the lease of a token that is being fetched, which is then not kept. */
const forgetToken = ({ db, caller }: RequestContext, id: string): Promise<unknown> =>
  db.query(
    'delete from extensions.named_credential_token where organization_id = $1 and credential_id = $2',
    [caller.organizationId, id],
    'WRITE',
  )
