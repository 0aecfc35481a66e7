import type { CallerKind } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { usualLimits } from '../../kernel/operation-limits.ts'
import { pageRecordsMax } from '../../kernel/record/list.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencySettings } from '../currency/currency.ts'
import { findOrganization } from '../organization/organization.ts'
import { organizationSettings } from '../organization/organization-settings.ts'
import type {
  Viewer,
  ViewerCredential,
  ViewerOrganization,
  ViewerProfile,
  ViewerQuota,
  ViewerRate,
} from './viewer.types.ts'

/** Who the caller is and what it has. Everything is of the caller itself, so no role is needed. */
export async function readViewer(ctx: RequestContext<'events'>): Promise<Viewer> {
  const { kind, organizationId, userId, role, visibility, scopes, credentialId } = ctx.caller
  const isSession = kind === 'SESSION'
  const [{ currencies, baseCurrency }, person, profile, organization, quota, latestEvent] = await Promise.all([
    currencySettings(ctx),
    personOf(ctx),
    profileOf(ctx),
    organizationOf(ctx),
    quotaOf(ctx),
    ctx.events.latest(organizationId),
  ])
  return {
    credential: kind as keyof typeof ViewerCredential,
    credentialId: kind === 'AUTOMATION' ? null : credentialId,
    scopes: isSession ? null : scopes.toSorted(),
    userId,
    ...person,
    role,
    visibility,
    profile,
    organization: { ...organization, baseCurrency },
    quota,
    limits: {
      requestBytes: usualLimits.bodyBytes,
      answerBytes: usualLimits.answerBytes,
      pageRecords: pageRecordsMax,
      storedBytes: ctx.settings.storedBytes.kept,
    },
    rates: currencies.flatMap(({ code: currency, isBase, rate, rateDate }): ViewerRate[] =>
      isBase || rate === null || rateDate === null ? [] : [{ currency, rate, since: rateDate }],
    ),
    eventCursor: String(latestEvent),
    now: ctx.clock.now().toISOString(),
  }
}

async function personOf({
  db,
  caller,
}: RequestContext): Promise<Pick<Viewer, 'name' | 'email' | 'timezone' | 'locale'>> {
  const [row] = await db.query<Pick<Viewer, 'name' | 'email' | 'timezone' | 'locale'>>(
    'select name, email, timezone, locale from identity.admin_user where organization_id = $1 and id = $2 and deleted_at is null',
    [caller.organizationId, caller.userId],
  )
  if (!row) throw notFound('The user')
  return row
}

async function profileOf({ db, caller }: RequestContext): Promise<ViewerProfile | null> {
  const [row] = await db.query<ViewerProfile>(
    `select p.id, p.name, u.profile_id is null as "isDefault" from identity.app_user u
     join identity.profile p on p.organization_id = u.organization_id
       and (p.id = u.profile_id or u.profile_id is null and p.is_default)
     where u.organization_id = $1 and u.id = $2`,
    [caller.organizationId, caller.userId],
  )
  return row ?? null
}

async function organizationOf(ctx: RequestContext): Promise<Omit<ViewerOrganization, 'baseCurrency'>> {
  const organization = await findOrganization(ctx.db, ctx.caller.organizationId)
  if (!organization) throw notFound('The organization')
  const { timezone = 'UTC', fiscalYearStartMonth = 1 } = await organizationSettings(ctx)
  const { id, name, entitlements } = organization
  return { id, name, timezone, fiscalYearStartMonth, entitlements }
}

/** SQL of the quota of each kind of credential that has one. An app is named by its grant, or by itself if it acts for its owner. */
const quotas: Partial<Record<CallerKind, string>> = {
  API_KEY: 'select rate_limit as "rateLimit" from identity.api_key where organization_id = $1 and id = $2',
  OAUTH: `select rate_limit as "rateLimit" from identity.oauth_client where id = coalesce(
    (select app_id from identity.oauth_grant where organization_id = $1 and id = $2), $2)`,
}

async function quotaOf({ db, caller }: RequestContext): Promise<ViewerQuota | null> {
  const statement = quotas[caller.kind]
  if (!statement) return null
  const [row] = await db.query<{ rateLimit: ViewerQuota }>(statement, [caller.organizationId, caller.credentialId])
  return row?.rateLimit ?? null
}
