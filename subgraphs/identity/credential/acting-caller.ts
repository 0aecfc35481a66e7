import type { Caller, Origin } from '../../kernel/context.ts'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { actingUserColumns, withDerivedRestrictions } from './credential-source.ts'

/** For whom and with which rights an automation acts. */
export interface Acting {
  readonly organizationId: string
  readonly userId: string
  readonly scopes: readonly string[]
  /** Without it, an owner or admin acts as a member who sees what the teams see, so that a mistake in an automation cannot reach everything. */
  readonly runAsAdmin: boolean
  readonly origin: Origin
  readonly depth: number
}

/** Owners and admins with the role and the visibility of a member. `u` has the columns that `actingUserColumns` needs. */
const asMember = `(
    select organization_id, id, is_active, left_at, profile_id,
      case when role in ('OWNER', 'ADMIN') then 'MEMBER' else role end as role,
      case when role in ('OWNER', 'ADMIN') and visibility = 'ALL' then 'TEAM' else visibility end as visibility
    from identity.app_user
  )`

/** The columns of whom an automation may act as, from the users `u` of this SQL. */
const actingUsers = (users: string): string =>
  `select u.id as "userId", ${actingUserColumns} from ${users} u join identity.organization o on o.id = u.organization_id`

/**
 * The caller as whom an automation acts, with the role, visibility and field security that the user has at this moment; null if the user may not act: inactive,
 * no longer in the organization, or of a suspended organization. Idempotency keys are kept per automation.
 */
export async function actingCaller(sql: Sql, acting: Acting): Promise<Caller | null> {
  const { organizationId, userId, runAsAdmin } = acting
  if (!isId(userId)) return null
  const [row] = await sql.query<ActingUser>(
    `${actingUsers(runAsAdmin ? 'identity.app_user' : asMember)} where u.organization_id = $1 and u.id = $2`,
    [organizationId, userId],
  )
  return callerOf(row, acting)
}

/** The same for several automations of one organization, in their order, by one statement. */
export async function actingCallers(
  sql: Sql,
  organizationId: string,
  all: readonly Omit<Acting, 'organizationId'>[],
): Promise<(Caller | null)[]> {
  const idsOf = (isAdmin: boolean): string[] =>
    all.flatMap(({ userId, runAsAdmin }) => (runAsAdmin === isAdmin && isId(userId) ? [userId.toLowerCase()] : []))
  const rows = await sql.query<ActingUser & { readonly userId: string; readonly runAsAdmin: boolean }>(
    `select true as "runAsAdmin", a.* from (${actingUsers('identity.app_user')} where u.organization_id = $1 and u.id = any($2::uuid[])) a
     union all
     select false, a.* from (${actingUsers(asMember)} where u.organization_id = $1 and u.id = any($3::uuid[])) a`,
    [organizationId, idsOf(true), idsOf(false)],
  )
  const nameOf = ({ userId, runAsAdmin }: Pick<Acting, 'userId' | 'runAsAdmin'>): string =>
    `${userId.toLowerCase()} ${runAsAdmin}`
  const found = new Map(rows.map((row) => [nameOf(row), row]))
  return all.map((one) => callerOf(found.get(nameOf(one)), { ...one, organizationId }))
}

function callerOf(
  row: ActingUser | undefined,
  { organizationId, userId, scopes, origin, depth }: Acting,
): Caller | null {
  if (!row?.ownerActive || !row.ownerInOrganization || row.organizationSuspended) return null
  const { role, visibility, ownerIds, fields, entitlements } = withDerivedRestrictions(row)
  return {
    kind: 'AUTOMATION',
    organizationId,
    userId,
    role,
    visibility,
    ownerIds,
    fields,
    entitlements,
    scopes,
    credentialId: `${origin.kind.toLowerCase()}:${origin.id}`,
    ip: '',
    userAgent: '',
    origin,
    depth,
  }
}
