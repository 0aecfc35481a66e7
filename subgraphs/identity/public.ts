import type { RequestContext } from '../kernel/request.ts'
import { columnOf, type Reference } from '../kernel/record/definition.ts'
import { Values } from '../kernel/record/predicate.ts'
import { searchCondition } from '../kernel/record/search.ts'
import { adminUser } from './admin/admin-user.ts'
import { findOrganization } from './organization/organization.ts'

const isActive = 'is_active and left_at is null'

const usersWho =
  (condition: string): Reference =>
  async (ctx, ids) => {
    // The caller is an active user: authentication and the write check have verified that.
    if (ctx.caller.kind !== 'SYSTEM' && ids.every((id) => id === ctx.caller.userId)) return new Set(ids)
    const rows = await ctx.db.query<{ id: string }>(
      `select id from identity.app_user where organization_id = $1 and id = any($2::uuid[]) and ${condition}`,
      [ctx.caller.organizationId, ids],
    )
    return new Set(rows.map(({ id }) => id))
  }

/** The ids, among the given ones, of active users of the caller's organization. */
export const activeUsers = usersWho(isActive)

/** The ids, among the given ones, of active users who may change records. */
export const activeWriters = usersWho(`${isActive} and role <> 'READ_ONLY'`)

/** The ids, among the given ones, of active owners and admins. A caller who names only itself must have been checked before. */
export const activeAdministrators = usersWho(`${isActive} and role in ('OWNER', 'ADMIN')`)

/** The ids, among the given ones, of users of the caller's organization, also of those who have left. */
export const usersOfOrganization = usersWho('true')

export interface OrganizationUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: string
}

export interface UserPage {
  readonly search?: string | null
  readonly page: number
  readonly limit: number
}

/** One page of the active users of the caller's organization who may change records, by name, with their names as the organization sees them. */
export async function activeWriterPage(
  ctx: RequestContext,
  { search, page, limit }: UserPage,
): Promise<OrganizationUser[]> {
  const values = new Values()
  const conditions = [`u.organization_id = ${values.add(ctx.caller.organizationId)}`]
  if (search) conditions.push(searchCondition(adminUser, [columnOf(adminUser, 'name')], search, 'u', values))
  return ctx.db.query<OrganizationUser>(
    `select u.id, u.name, u.email, u.role from identity.admin_user u
     where ${conditions.join(' and ')} and u.is_active and u.deleted_at is null and u.role <> 'READ_ONLY'
     order by u.name, u.id limit ${values.add(limit)} offset ${values.add((page - 1) * limit)}`,
    values.list,
    'SCAN',
  )
}

/** The verified email address of an active user of the caller's organization; null if there is none: mails about its records go to no other. */
export async function noticeAddress({ db, caller }: RequestContext, id: string): Promise<string | null> {
  const [row] = await db.query<{ email: string }>(
    'select email from identity.admin_user where organization_id = $1 and id = $2 and email_verified and is_active and deleted_at is null',
    [caller.organizationId, id],
  )
  return row?.email ?? null
}

/** The time zone of a user of the caller's organization; null if there is no such user. */
export async function userTimezone({ db, caller }: RequestContext, id: string): Promise<string | null> {
  const [row] = await db.query<{ timezone: string }>(
    'select timezone from identity.admin_user where organization_id = $1 and id = $2 and deleted_at is null',
    [caller.organizationId, id],
  )
  return row?.timezone ?? null
}

export interface UserIdentity {
  readonly name: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string
}

/** The names and the email address of an active user of the caller's organization; null if there is no such user. */
export async function userIdentity({ db, caller }: RequestContext, id: string): Promise<UserIdentity | null> {
  const [row] = await db.query<UserIdentity>(
    `select name, first_name as "firstName", last_name as "lastName", email from identity.admin_user
     where organization_id = $1 and id = $2 and is_active and deleted_at is null`,
    [caller.organizationId, id],
  )
  return row ?? null
}

/** Whether an active user of the caller's organization has this address, in its canonical form. */
export async function hasUserWithEmail({ db, caller }: RequestContext, email: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from identity.admin_user where organization_id = $1 and email = $2 and is_active and deleted_at is null limit 1`,
    [caller.organizationId, email],
  )
  return rows.length > 0
}

/** The name of the caller's organization; null if it is suspended. */
export async function activeOrganizationName({ db, caller }: RequestContext): Promise<string | null> {
  const found = await findOrganization(db, caller.organizationId)
  return found?.status === 'ACTIVE' ? found.name : null
}

export { isProfileName, knownProfileNames, profileNameOf, restrictionsOfProfile } from './profile/profile.ts'
export { isAdministrator } from './organization/organization.ts'
export { activeMembers, hasProvenAdministrator } from './due-work/active-members.ts'
export { activeOrganizations, organizationsWith } from './due-work/active-organizations.ts'
export { dueRecords } from './due-work/due-records.ts'
export { eachOrganization } from './due-work/each-organization.ts'
export { membersOfTeams, teamsOfOrganization } from './team/team-members.ts'
export { organizationChart, type ChartUser } from './user/organization-chart.ts'
export { usersBelow } from './user/users-below.ts'
export { managersOf, ownersToNotify, recipientsOf, userNames, type Recipient } from './user/recipients.ts'
export { customersGuard, heldMail, isSuspended, requireProven } from './user/mail-guard.ts'
export { rightsOf, sendersOf, type Sender } from './user/senders.ts'
export { listedUser } from './user-lookup/listed-user.ts'
export { isOfSameDeveloperSql } from './developer-org/developer-org.ts'
export { activeSeller, type Seller } from './seller/seller.ts'
export { logoContent } from './seller/logo.ts'
export {
  defaultBaseCurrency,
  fiscalCalendar,
  modelUserOf,
  organizationSettings,
  organizationZoneSql,
  type OrganizationSettings,
} from './organization/organization-settings.ts'
export {
  baseAmountAt,
  baseAmountOf,
  baseAverageOf,
  baseCurrencyOf,
  baseSumOf,
  exchangeRateSql,
  exchangeRatesSql,
  ratesOf,
  type BaseAmount,
  type RatesOfDay,
  rateDayOf,
  rateDaySql,
} from './currency/convert.ts'
export { auditRecord } from './audit/audit.ts'
export { requireRightToActAs, seesLess } from './credential/owner-guard.ts'
export { actingCaller, actingCallers, type Acting } from './credential/acting-caller.ts'
export { currentScopes } from './credential/current-scopes.ts'
export { credentialSource, findActingUser } from './credential/credential-source.ts'
export { ownerContext } from './credential/owner-context.ts'
export { connectInstalledApp, disconnectInstalledApp } from './oauth/installed-app.ts'
export { scopesOfOAuthApp } from './oauth/oauth-app.actions.ts'
export { oauthService } from './oauth/oauth-service.ts'
export { findScimToken } from './scim/scim-token.ts'
export { UsageBuffer } from './usage/usage-buffer.ts'
export { issueOwnerCode, listOrganizations } from './operator-accounts.ts'
export {
  createApiKey,
  createOrganization,
  createOrganizationWithOwner,
  createTeam,
  createUser,
  deactivateUser,
  organizationIdOf,
  removeUser,
  resumeOrganization,
  rotateApiKey,
  setEntitlements,
  suspendOrganization,
  updateUser,
} from './operator.ts'
export { workingCredentials } from './usage/credential-names.ts'
