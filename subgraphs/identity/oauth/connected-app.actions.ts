import type { Row } from '../../kernel/database/database.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { pageNumber, size, type Page } from '../../kernel/record/list.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { isAdministrator } from '../organization/organization.ts'
import type { AppInstallation, ConnectedApp, ConnectedAppUpdateInput } from './connected-app.ts'

const settingsBytesMax = 65_536

/** Whose consents the caller sees and ends: owners and admins everybody's, others their own. */
const consentsOf = ({ caller }: RequestContext): string | null => (isAdministrator(caller.role) ? null : caller.userId)

/** Installations `i` of apps `a` with live consents of the user `$2`, or of anybody, at the time `$3`. */
const connected = `
  select i.id, i.app_id as "appId", a.name, a.description, a.homepage_url as "homepageUrl",
    a.app_version as "appVersion", g.scopes, g.consents, i.settings, i.created_at as "createdAt", i.updated_at as "updatedAt"
  from identity.oauth_installation i
  join identity.oauth_app a on a.id = i.app_id and a.deleted_at is null
  join lateral (
    select count(distinct c.id)::int as consents, array_agg(distinct scope order by scope) as scopes
    from identity.oauth_grant c, unnest(c.scopes) scope
    where c.organization_id = i.organization_id and c.app_id = i.app_id and c.expires_at > $3
      and ($2::uuid is null or c.user_id = $2)
  ) g on g.consents > 0
  where i.organization_id = $1`

const inSight = (ctx: RequestContext): unknown[] => [
  ctx.caller.organizationId,
  consentsOf(ctx),
  ctx.clock.now().toISOString(),
]

interface PageWanted {
  readonly page: number
  readonly limit: number
  readonly cursor?: string | null
}

export async function readConnectedApps(ctx: RequestContext, wanted: PageWanted, isCounted: boolean): Promise<Page> {
  const limit = size(wanted.limit, 'limit')
  const page = pageNumber(wanted.page)
  const counted = isCounted ? await countConnectedApps(ctx) : null
  const { after, values, offset } = wanted.cursor
    ? { after: 'and (a.name, i.id) > ($5, $6)', values: positionIn(wanted.cursor), offset: 0 }
    : { after: '', values: [], offset: (page - 1) * limit }
  const data = await ctx.db.query<ConnectedApp & Row>(
    `${connected} ${after} order by a.name, i.id limit $4 offset ${offset}`,
    [...inSight(ctx), limit + 1, ...values],
  )
  const hasMore = data.length > limit
  if (hasMore) data.length = limit
  const last = data.at(-1)
  return {
    data,
    page,
    limit,
    total: counted,
    totalPages: counted === null ? null : Math.ceil(counted / limit),
    hasMore,
    nextCursor: hasMore && last ? cursorAt(last) : null,
  }
}

async function countConnectedApps(ctx: RequestContext): Promise<number> {
  const [row] = await ctx.db.query<{ total: number }>(
    `select count(*)::int as total from (${connected}) c`,
    inSight(ctx),
  )
  return row!.total
}

const cursorAt = ({ name, id }: ConnectedApp): string => Buffer.from(JSON.stringify([name, id])).toString('base64url')

function positionIn(cursor: string): [string, string] {
  const refused = () =>
    invalid({ path: 'cursor', code: 'NOT_A_CURSOR', message: 'The cursor is not one that this API gave.' })
  let position: unknown
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refused()
  }
  const [name, id] = Array.isArray(position) && position.length === 2 ? (position as unknown[]) : []
  if (typeof name !== 'string' || !isStorable(name) || typeof id !== 'string' || !isId(id)) throw refused()
  return [name, id]
}

export async function readConnectedApp(ctx: RequestContext, id: string): Promise<ConnectedApp> {
  const [found] = isId(id) ? await ctx.db.query<ConnectedApp>(`${connected} and i.id = $4`, [...inSight(ctx), id]) : []
  if (!found) throw notFound('The connected app')
  return found
}

/** Ends the consents that the caller sees, with all their tokens; owners and admins end the app's access as a whole. */
export function disconnectApp(ctx: RequestContext, id: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    const before = await readConnectedApp(inner, id)
    const { organizationId } = inner.caller
    const which = [organizationId, before.appId, consentsOf(inner)]
    await inner.db.query(
      `delete from identity.oauth_token where organization_id = $1 and app_id = $2 and ($3::uuid is null or user_id = $3)`,
      which,
    )
    await inner.db.query(
      `delete from identity.oauth_grant where organization_id = $1 and app_id = $2 and ($3::uuid is null or user_id = $3)`,
      which,
    )
    await appendAudit(inner, { action: 'connected_app.revoked', target: { type: 'connected_app', id }, before })
    return id
  })
}

export function updateConnectedApp(
  ctx: RequestContext,
  id: string,
  { settings }: ConnectedAppUpdateInput,
): Promise<ConnectedApp> {
  requireAdministrator(ctx)
  const text = JSON.stringify(settings)
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings) || text.length > settingsBytesMax) {
    const message = `settings is a JSON object of at most ${settingsBytesMax} characters.`
    throw new Refusal('VALIDATION_FAILED', message, { errors: [{ path: 'settings', code: 'NOT_SETTINGS', message }] })
  }
  return inTransaction(ctx, async (inner) => {
    const before = await readConnectedApp(inner, id)
    await inner.db.query(
      `update identity.oauth_installation set settings = $3, version = version + 1, updated_at = $4
       where organization_id = $1 and id = $2`,
      [inner.caller.organizationId, id, text, inner.clock.now().toISOString()],
    )
    const after = await readConnectedApp(inner, id)
    await appendAudit(inner, {
      action: 'connected_app.updated',
      target: { type: 'connected_app', id },
      before,
      after,
    })
    return after
  })
}

/** What the app that calls finds of itself; nobody but an app has an installation. */
export async function readOwnInstallation(ctx: RequestContext): Promise<AppInstallation> {
  const { kind, organizationId, credentialId, scopes } = ctx.caller
  if (kind !== 'OAUTH') {
    throw new Refusal('OAUTH_TOKEN_REQUIRED', 'Only an app has an installation: call this with an OAuth access token.')
  }
  const [found] = await ctx.db.query<Omit<AppInstallation, 'scopes'>>(
    `select i.id, i.app_id as "appId", i.organization_id as "organizationId", a.name, a.app_version as version,
       i.settings, i.created_at as "createdAt"
     from identity.oauth_installation i
     join identity.oauth_app a on a.id = i.app_id
     where i.organization_id = $1 and i.app_id = coalesce(
       (select app_id from identity.oauth_grant where organization_id = $1 and id = $2), $2)`,
    [organizationId, credentialId],
  )
  if (!found) throw notFound('The installation')
  return { ...found, scopes: [...scopes].sort() }
}
