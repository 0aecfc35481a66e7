import { notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { toPage, pageNumber, pageSize, type Page } from '../../kernel/record/list.ts'
import { orderOf } from '../../kernel/record/order.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { isAdministrator } from '../organization/organization.ts'
import {
  connectedApp,
  type AppInstallation,
  type ConnectedApp,
  type ConnectedAppPageArgs,
  type ConnectedAppUpdateInput,
} from './connected-app.ts'
import { connectedAppChanges } from './grant.events.ts'

const settingsBytesMax = 65_536

/** The user whose consents the caller can see and end; null for owners and admins: all users. */
const consentsOf = ({ caller }: RequestContext): string | null => (isAdministrator(caller.role) ? null : caller.userId)

const columns = selectList(connectedApp, allColumnNames(connectedApp), 't', null)

/** SQL of the installations of apps, as `t`, with active consents that the caller can see. */
function visibleInstallations(ctx: RequestContext, values: Values): string {
  const organization = values.add(ctx.caller.organizationId)
  const user = values.add(consentsOf(ctx))
  return `(
    select i.id, i.organization_id, i.app_id, a.name, a.description, a.homepage_url,
      coalesce(i.package_version, a.app_version) as app_version,
      a.is_open as is_self_registered, g.scopes, g.consents,
      i.settings, i.created_at, i.updated_at
    from identity.oauth_installation i
    join identity.oauth_client a on a.id = i.app_id and a.deleted_at is null
    join lateral (
      select count(distinct c.id)::int as consents, array_agg(distinct scope order by scope) as scopes
      from identity.oauth_grant c, unnest(c.scopes) scope
      where c.organization_id = i.organization_id and c.app_id = i.app_id
        and c.expires_at > ${values.add(ctx.clock.now().toISOString())} and (${user}::uuid is null or c.user_id = ${user})
    ) g on g.consents > 0
    where i.organization_id = ${organization}) t`
}

export async function readConnectedApps(
  ctx: RequestContext,
  { orderBy, cursor, ...wanted }: ConnectedAppPageArgs,
  isCounted: boolean,
): Promise<Page> {
  const limit = pageSize(wanted.limit, 'limit')
  const page = pageNumber(wanted.page)
  const order = orderOf(connectedApp, orderBy)
  const values = new Values()
  const rows = visibleInstallations(ctx, values)
  const where = cursor ? `where ${order.after(cursor, 't', values)}` : ''
  const part = `limit ${values.add(limit + 1)} offset ${values.add(cursor ? 0 : (page - 1) * limit)}`
  const data = await ctx.db.query(
    `select ${columns} from ${rows} ${where} order by ${order.sql('t')} ${part}`,
    values.list,
  )
  return toPage({ data, page, limit, total: isCounted ? await countConnectedApps(ctx) : null }, order)
}

async function countConnectedApps(ctx: RequestContext): Promise<number> {
  const values = new Values()
  const rows = visibleInstallations(ctx, values)
  const [row] = await ctx.db.query<{ total: number }>(`select count(*)::int as total from ${rows}`, values.list)
  return row!.total
}

export async function readConnectedApp(ctx: RequestContext, id: string): Promise<ConnectedApp> {
  const values = new Values()
  const sql = `select ${columns} from ${visibleInstallations(ctx, values)} where t.id = ${values.add(id)}`
  const [found] = isId(id) ? await ctx.db.query<ConnectedApp>(sql, values.list) : []
  if (!found) throw notFound('The connected app')
  return found
}

/** Ends the consents that the caller can see, with their tokens. For owners and admins it ends all access of the app. */
export function disconnectApp(ctx: RequestContext, id: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    await endConsents(inner, await readConnectedApp(inner, id))
    return id
  })
}

async function endConsents(ctx: RequestContext, app: ConnectedApp): Promise<void> {
  await writeChange(ctx, connectedAppChanges, { operation: 'DELETE', previous: app, next: app }, (values) => {
    const user = values.add(consentsOf(ctx))
    const which = `organization_id = ${values.add(ctx.caller.organizationId)} and app_id = ${values.add(app.appId)}
      and (${user}::uuid is null or user_id = ${user})`
    return {
      tokens: `delete from identity.oauth_token where ${which}`,
      grants: `delete from identity.oauth_grant where ${which} returning 1`,
      written: 'select from grants limit 1',
    }
  })
}

/** As `disconnectApp`, by the id of the OAuth app. Nothing happens if nobody gave consent to it. */
export async function endAccess(ctx: RequestContext, appId: string): Promise<void> {
  const values = new Values()
  const sql = `select ${columns} from ${visibleInstallations(ctx, values)} where t.app_id = ${values.add(appId)}`
  const [app] = await ctx.db.query<ConnectedApp>(sql, values.list)
  if (app) await endConsents(ctx, app)
}

export function updateConnectedApp(
  ctx: RequestContext,
  id: string,
  { settings }: ConnectedAppUpdateInput,
): Promise<ConnectedApp> {
  requireAdministrator(ctx)
  const text = JSON.stringify(settings)
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings) || text.length > settingsBytesMax) {
    const message = `settings must be a JSON object of at most ${settingsBytesMax} characters.`
    throw new Refusal('VALIDATION_FAILED', message, { errors: [{ path: 'settings', code: 'NOT_SETTINGS', message }] })
  }
  return inTransaction(ctx, async (inner) => {
    const previous = await readConnectedApp(inner, id)
    const updatedAt = inner.clock.now().toISOString()
    const next = { ...previous, settings, updatedAt }
    const isWritten = await writeChange(
      inner,
      connectedAppChanges,
      { operation: 'UPDATE', previous, next },
      (values) => {
        const [json, now] = [values.add(text), values.add(updatedAt)]
        return `update identity.oauth_installation set settings = ${json}, version = version + 1, updated_at = ${now}
        where organization_id = ${values.add(inner.caller.organizationId)} and id = ${values.add(id)}
          and package_version is null returning 1`
      },
    )
    if (!isWritten)
      throw refusalInSituation('The app was installed with a schema of its settings: set them at /v1/apps.')
    return next
  })
}

/** The installation of the calling app. Other callers have none. */
export async function readOwnInstallation(ctx: RequestContext): Promise<AppInstallation> {
  const { kind, organizationId, credentialId, scopes } = ctx.caller
  if (kind !== 'OAUTH') {
    throw new Refusal(
      'OAUTH_TOKEN_REQUIRED',
      'Only an app has an installation. Send an OAuth access token in the Authorization header.',
    )
  }
  const [found] = await ctx.db.query<Omit<AppInstallation, 'scopes'>>(
    `select i.id, i.app_id as "appId", i.organization_id as "organizationId", a.name,
       coalesce(i.package_version, a.app_version) as version,
       i.settings, i.created_at as "createdAt"
     from identity.oauth_installation i
     join identity.oauth_client a on a.id = i.app_id
     where i.organization_id = $1 and i.app_id = coalesce(
       (select app_id from identity.oauth_grant where organization_id = $1 and id = $2), $2)`,
    [organizationId, credentialId],
  )
  if (!found) throw notFound('The installation')
  return { ...found, scopes: [...scopes].sort() }
}
