import { notFound } from '../../kernel/errors.ts'
import { readPage, type Page, type PageArgs } from '../../kernel/record/list.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { distinct } from '../credential/grant.rules.ts'
import { withCredentialVisibility } from '../credential/credential-visibility.ts'
import { requireRightToActAs, requireRightToExtend } from '../credential/owner-guard.ts'
import { newClientSecret } from './client-secret.ts'
import { type OAuthApp } from './oauth-app.ts'
import { oauthApp } from './oauth-app.record.ts'
import type { OAuthAppCreateInput, OAuthAppUpdateInput } from './oauth-app.inputs.ts'

const defaultRateLimit = { limit: 5000, window: 'HOUR' } as const

const allColumns = allColumnNames(oauthApp)

export async function readOAuthApp(ctx: RequestContext, id: string): Promise<OAuthApp> {
  const row = await readOne(withCredentialVisibility(ctx), oauthApp, id, allColumns)
  if (!row) throw notFound('The OAuth app')
  return row as unknown as OAuthApp
}

/** The scopes that an OAuth app of the caller's organization can be granted; null if there is no such app. */
export async function scopesOfOAuthApp({ db, caller }: RequestContext, id: string): Promise<readonly string[] | null> {
  const [row] = await db.query<{ scopes: string[] }>(
    'select scopes from identity.oauth_app where organization_id = $1 and id = $2 and deleted_at is null',
    [caller.organizationId, id],
  )
  return row?.scopes ?? null
}

export function readOAuthApps(ctx: RequestContext, args: PageArgs, info: SelectionInfo): Promise<Page> {
  const total = isAnySelected(info, 'total', 'totalPages')
  return readPage(withCredentialVisibility(ctx), oauthApp, args, {
    page: selectedFields(info),
    record: selectedFields(info, ['data']),
    total,
  })
}

export interface NewOAuthApp extends OAuthAppCreateInput {
  /** Set by a dynamic client registration, whose answer to the client contains them. */
  readonly id?: string
  readonly secret?: string
}

/** Only this answer contains the secret. A PUBLIC app has none. */
export async function createOAuthApp(ctx: RequestContext, { secret: given, ...input }: NewOAuthApp): Promise<OAuthApp> {
  const type = input.type ?? 'CONFIDENTIAL'
  const made = type === 'PUBLIC' ? null : newClientSecret(given)
  const app = await save(ctx, oauthApp, {
    operation: 'CREATE',
    previous: null,
    values: {
      ...input,
      type,
      appVersion: input.appVersion ?? '1.0.0',
      redirectUris: distinct(input.redirectUris ?? []),
      scopes: distinct(input.scopes),
      rateLimit: { ...(input.rateLimit ?? defaultRateLimit) },
      secretHash: made?.hash ?? null,
      secretPrefix: made?.prefix ?? null,
    } as Partial<OAuthApp>,
  })
  return { ...app, clientSecret: made?.secret ?? null }
}

export function updateOAuthApp(
  ctx: RequestContext,
  id: string,
  input: OAuthAppUpdateInput,
  expectedVersion: number | null,
): Promise<OAuthApp> {
  const { rateLimit, redirectUris, scopes, ...rest } = input
  const values = {
    ...rest,
    scopes: distinct(scopes),
    redirectUris: distinct(redirectUris),
    rateLimit: rateLimit ? { ...rateLimit } : rateLimit,
  } as Partial<OAuthApp>
  return change(
    withCredentialVisibility(ctx),
    oauthApp,
    id,
    async (previous, current) => {
      await requireRightToExtend(current, previous, values)
      return { operation: 'UPDATE', values }
    },
    { expectedVersion },
  )
}

/** The former secret stops working with the commit. */
export async function rotateClientSecret(ctx: RequestContext, id: string): Promise<OAuthApp> {
  const made = newClientSecret()
  const app = await change(withCredentialVisibility(ctx), oauthApp, id, async ({ type, ownerId }, current) => {
    await requireRightToActAs(current, ownerId)
    if (type === 'PUBLIC') throw refusalInSituation('Only a CONFIDENTIAL app has a client secret.')
    return {
      operation: 'UPDATE',
      values: { secretHash: made.hash, secretPrefix: made.prefix },
      events: ['oauth_app.secret_rotated'],
      action: 'oauth_app.secret_rotated',
    }
  })
  return { ...app, clientSecret: made.secret }
}

/** The tokens of the app stop working in every organization, and no organization lists the app any longer. */
export async function deleteOAuthApp(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<string> {
  await change(withCredentialVisibility(ctx), oauthApp, id, () => ({ operation: 'DELETE', values: {} }), {
    expectedVersion,
  })
  return id
}
