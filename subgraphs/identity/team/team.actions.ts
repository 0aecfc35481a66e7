import { invalid, notFound } from '../../kernel/errors.ts'
import { save } from '../../kernel/record/save.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { findTeam, type Team } from './team.ts'
import { team } from './team.record.ts'

export interface NewTeam {
  readonly id?: string
  readonly name: string
  readonly memberIds: readonly string[]
  readonly externalId?: string | null
}

/** Removes duplicate ids and sorts the others, as in a stored team. */
const members = (userIds: readonly string[]): string[] => [...new Set(userIds)].sort()

/** Must run in a transaction, because the team and its members are separate statements. */
export async function addTeam(ctx: RequestContext, { memberIds, ...values }: NewTeam): Promise<Team> {
  await requireUsersOfOrganization(ctx, memberIds)
  const userIds = members(memberIds)
  const added = await save(ctx, team, { operation: 'CREATE', previous: null, values: { ...values, userIds } })
  await writeMembers(ctx, added.id, userIds, [])
  return added
}

export interface TeamChange {
  readonly name?: string
  readonly externalId?: string | null
  /** Ids of all members; replaces the former members. `joining` and `leaving` change some of them. */
  readonly members?: readonly string[]
  readonly joining?: readonly string[]
  readonly leaving?: readonly string[]
}

/** Changes the record visibility of the members in every process with the commit. */
export function changeTeam(ctx: RequestContext, id: string, change: TeamChange): Promise<Team> {
  return inTransaction(ctx, async (inner) => {
    const previous = await lockTeam(inner, id)
    const { name = previous.name, externalId = previous.externalId } = change
    const leaving = new Set(change.leaving)
    const userIds = members([...(change.members ?? previous.userIds), ...(change.joining ?? [])]).filter(
      (user) => !leaving.has(user),
    )
    const joining = userIds.filter((user) => !previous.userIds.includes(user))
    await requireUsersOfOrganization(inner, joining)
    const left = previous.userIds.filter((user) => !userIds.includes(user))
    const changed = await save(inner, team, { operation: 'UPDATE', previous, values: { name, externalId, userIds } })
    await writeMembers(inner, previous.id, joining, left)
    return changed
  })
}

export function removeTeam(ctx: RequestContext, id: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    const previous = await lockTeam(inner, id)
    await inner.db.query('delete from identity.team_member where organization_id = $1 and team_id = $2', [
      inner.caller.organizationId,
      previous.id,
    ])
    await save(inner, team, { operation: 'DELETE', previous, values: {} })
    return id
  })
}

async function lockTeam({ db, caller }: RequestContext, id: string): Promise<Team> {
  const found = await findTeam(db, caller.organizationId, id)
  if (found) {
    await db.query('select 1 from identity.team where organization_id = $1 and id = $2 for update', [
      caller.organizationId,
      id,
    ])
  }
  // Another change may have committed before the lock, so the team is read again.
  const locked = found && (await findTeam(db, caller.organizationId, id))
  if (!locked) throw notFound('The team')
  return locked
}

async function writeMembers(
  { db, caller }: RequestContext,
  id: string,
  joining: readonly string[],
  leaving: readonly string[],
): Promise<void> {
  await db.query(
    `insert into identity.team_member (organization_id, team_id, user_id) select $1, $2, unnest($3::uuid[])
     on conflict do nothing`,
    [caller.organizationId, id, joining],
  )
  await db.query(
    'delete from identity.team_member where organization_id = $1 and team_id = $2 and user_id = any($3::uuid[])',
    [caller.organizationId, id, leaving],
  )
}

/** Throws VALIDATION_FAILED unless all ids are users of the organization. */
export async function requireUsersOfOrganization(
  { db, caller }: RequestContext,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return
  const rows = await db.query<{ id: string }>(
    'select id from identity.app_user where organization_id = $1 and id::text = any($2) and left_at is null',
    [caller.organizationId, userIds],
  )
  const known = new Set(rows.map(({ id }) => id))
  const problems = userIds.flatMap((userId, index) => {
    const path = `userIds.${index}`
    return known.has(userId)
      ? []
      : [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the id of a user of the organization.` }]
  })
  if (problems.length > 0) throw invalid(...problems.slice(0, 50))
}
