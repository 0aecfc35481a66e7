import { newApiKey, parseApiKey, type NewApiKey } from '../../kernel/credentials/public.ts'
import { notFound } from '../../kernel/errors.ts'
import { isNothingGiven } from '../../kernel/record/changed-names.ts'
import { readPage, type Page, type PageArgs } from '../../kernel/record/list.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { save } from '../../kernel/record/save.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { distinct } from '../credential/grant.rules.ts'
import { withCredentialVisibility } from '../credential/credential-visibility.ts'
import { requireRightToExtend } from '../credential/owner-guard.ts'
import { statusOf, type ApiKey } from './api-key.ts'
import { apiKey } from './api-key.record.ts'
import type { ApiKeyCreateInput, ApiKeyUpdateInput } from './api-key.inputs.ts'
import { keyRefusal } from './api-key.states.ts'
import { changeKey } from './change-key.ts'

const lifeDays = 90
const defaultRateLimit = { limit: 1000, window: 'HOUR' } as const

// The status of a key depends on several columns, so all columns are read.
const allColumns = allColumnNames(apiKey)

export async function readApiKey(ctx: RequestContext, id: string): Promise<ApiKey> {
  const row = await readOne(withCredentialVisibility(ctx), apiKey, id, allColumns)
  if (!row) throw notFound('The API key')
  return row as unknown as ApiKey
}

export function readApiKeys(ctx: RequestContext, args: PageArgs, info: SelectionInfo): Promise<Page> {
  const total = isAnySelected(info, 'total', 'totalPages')
  return readPage(withCredentialVisibility(ctx), apiKey, args, {
    page: selectedFields(info),
    record: allColumns,
    total,
  })
}

export interface NewKey extends ApiKeyCreateInput {
  readonly id?: string
  readonly ownerId?: string
  /** Given by an operator; absent: random. */
  readonly secret?: string
}

/** Only this answer contains the secret. */
export async function createApiKey(ctx: RequestContext, { secret: given, ...input }: NewKey): Promise<ApiKey> {
  const { secret, prefix, hash } = given ? chosenSecret(given) : newApiKey()
  const values = {
    ...input,
    scopes: distinct(input.scopes),
    rateLimit: { ...(input.rateLimit ?? defaultRateLimit) },
    expiresAt: input.expiresAt === undefined ? inDays(ctx, lifeDays) : input.expiresAt,
    prefix,
    secretHash: hash,
  }
  const key = await save(ctx, apiKey, {
    operation: 'CREATE',
    previous: null,
    values: { ...values, ipAllowList: input.ipAllowList ?? [] },
  })
  return { ...key, secret }
}

function chosenSecret(secret: string): NewApiKey {
  const parsed = parseApiKey(secret)
  if (!parsed) throw new Error('The secret must have the format of an API key.')
  return { secret, ...parsed }
}

const inDays = (ctx: RequestContext, days: number): string =>
  new Date(ctx.clock.now().getTime() + days * 86_400_000).toISOString()

export function updateApiKey(
  ctx: RequestContext,
  id: string,
  input: ApiKeyUpdateInput,
  expectedVersion: number | null,
): Promise<ApiKey> {
  const { rateLimit, scopes, ...rest } = input
  const values = { ...rest, scopes: distinct(scopes), rateLimit: rateLimit ? { ...rateLimit } : rateLimit }
  const beforeChange = (inner: RequestContext, previous: ApiKey) => requireRightToExtend(inner, previous, values)
  return changeKey(ctx, id, { expectedVersion, beforeChange }, async (previous) => {
    if (previous.revokedAt && !isNothingGiven(input))
      throw await keyRefusal(ctx, previous, 'A revoked API key cannot be changed.')
    return { operation: 'UPDATE', values: values as Partial<ApiKey> }
  })
}

/** Ends the key permanently, with both secrets of a key in rotation. Revoking again changes nothing. */
export function revokeApiKey(ctx: RequestContext, id: string): Promise<ApiKey> {
  const now = ctx.clock.now().toISOString()
  return changeKey(ctx, id, {}, (previous) => {
    const { revokedAt, previousSecretExpiresAt: end } = previous
    if (revokedAt) return { operation: 'UPDATE', values: {} }
    return {
      operation: 'UPDATE',
      values: { revokedAt: now, previousSecretExpiresAt: end && end > now ? now : end },
      events: ['api_key.revoked'],
      action: 'api_key.revoked',
    }
  })
}

/** Ends the overlap of a key in rotation at once, so that the former secret stops working. Other keys are not changed. */
export function revokeFormerSecret(ctx: RequestContext, id: string): Promise<ApiKey> {
  const now = ctx.clock.now()
  return changeKey(ctx, id, {}, (previous) => ({
    operation: 'UPDATE',
    values: statusOf(previous, now) === 'ROTATING' ? { previousSecretExpiresAt: now.toISOString() } : {},
    action: 'api_key.revoked',
  }))
}

/** The key stops working and is in no list. Its events are kept. */
export async function deleteApiKey(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<string> {
  const { id: deleted } = await changeKey(ctx, id, { expectedVersion }, () => ({
    operation: 'DELETE',
    values: {},
  }))
  return deleted
}
