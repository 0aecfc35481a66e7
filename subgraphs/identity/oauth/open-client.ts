import type { Client, OpenRegistration } from '../../kernel/credentials/public.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { appScopes } from '../../kernel/scope-areas.ts'
import { organizationSettings } from '../organization/organization-settings.ts'
import { isSafeRedirect, loopbackNames } from './oauth-app.rules.ts'

const nameMax = 80
const redirectsMax = 10
const redirectMax = 500
/** Clients that no user has allowed yet. With the bounds above they take less than 30 MB. */
export const unusedMax = 5_000

const hourMs = 3_600_000
/** An unused client may be replaced by a new one after this time, longer than an authorization may take. */
const replaceableMs = hourMs
const unusedMs = 24 * hourMs
/** After the last consent, if no consent is left. */
const usedMs = 90 * 24 * hourMs

/** The name in one line and without characters that are not seen or that turn the direction of the text. */
const shownName = (name: string): string =>
  Array.from(
    name
      .normalize('NFKC')
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  )
    .slice(0, nameMax)
    .join('')

function redirectProblems(uris: readonly string[]): FieldProblem[] {
  if (uris.length === 0 || uris.length > redirectsMax) {
    const message = `redirect_uris must have 1 to ${redirectsMax} URIs.`
    return [{ path: 'redirectUris', code: 'OUT_OF_RANGE', message }]
  }
  return uris.flatMap((uri, index) =>
    uri.length <= redirectMax && isSafeRedirect(uri, 'PUBLIC', loopbackNames)
      ? []
      : {
          path: `redirectUris.${index}`,
          code: 'NOT_A_REDIRECT_URI',
          message:
            `redirect_uris.${index} must be an https URL, or an http URL with the host localhost, 127.0.0.1 or [::1], in its ` +
            `normalized form, of at most ${redirectMax} characters, without fragment and credentials.`,
        },
  )
}

/** Registers a client without a credential. Nothing but its name, its redirect URIs and its scopes is kept. */
export async function registerOpenClient(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { name, redirectUris, scopes }: OpenRegistration,
): Promise<Client> {
  const problems = redirectProblems(redirectUris)
  const known = appScopes.filter((scope) => scopes.length === 0 || scopes.includes(scope))
  if (known.length === 0)
    problems.push({ path: 'scopes', code: 'UNKNOWN_SCOPE', message: 'scope must name a scope of scopes_supported.' })
  if (problems.length > 0) throw invalid(...problems)
  const now = clock.now()
  const client = {
    id: newId(),
    name: shownName(name) || 'An app',
    redirectUris: [...new Set(redirectUris)],
    scopes: known,
  }
  const saved = await database.query(
    `with unused as (select count(*) >= $6 as is_full from identity.oauth_open_client where used_at is null),
     replaced as (
       delete from identity.oauth_open_client c using unused where unused.is_full and c.id = (
         select id from identity.oauth_open_client where used_at is null and created_at < $7
         order by created_at limit 1 for update skip locked
       ) returning 1
     )
     insert into identity.oauth_open_client (id, name, redirect_uris, scopes, created_at)
     select $1, $2, $3, $4, $5 from unused where not is_full or exists (select from replaced)
     returning id`,
    [
      client.id,
      client.name,
      client.redirectUris,
      client.scopes,
      now.toISOString(),
      unusedMax,
      new Date(now.getTime() - replaceableMs).toISOString(),
    ],
  )
  if (saved.length === 0)
    throw new Refusal('UNAVAILABLE', 'Too many clients have registered; try again later.', { retryAfter: 600 })
  return { ...client, type: 'PUBLIC', secretHash: null, isOpen: true }
}

/**
 * Notes the consent of a user, in the transaction of the consent, so that the client is not deleted as unused. Refuses it if the
 * organization wants no such clients. Other apps pass.
 */
export async function admitOpenClient(ctx: RequestContext, id: string): Promise<void> {
  const [found] = await ctx.db.query<{ isOpen: boolean }>(
    `with used as (update identity.oauth_open_client set used_at = $2 where id = $1 returning id)
     select true as "isOpen" from used
     union all select false from identity.oauth_app where id = $1 and deleted_at is null`,
    [id, ctx.clock.now().toISOString()],
  )
  if (!found) throw new Refusal('UNAUTHENTICATED', 'The app is not registered any longer; start again from it.')
  if (!found.isOpen || !(await organizationSettings(ctx)).refuseSelfRegisteredApps) return
  throw new Refusal('PERMISSION_DENIED', 'This organization does not permit apps that nobody has verified.')
}

/** Deletes clients that nobody allowed within a day, and those whose last consent has ended long ago. */
export async function forgetOpenClients({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<void> {
  const before = (ms: number): string => new Date(clock.now().getTime() - ms).toISOString()
  await database.query(
    `delete from identity.oauth_open_client c
     where (c.used_at is null and c.created_at < $1 or c.used_at < $2)
       and not exists (select from identity.oauth_grant g where g.app_id = c.id)`,
    [before(unusedMs), before(usedMs)],
  )
}
