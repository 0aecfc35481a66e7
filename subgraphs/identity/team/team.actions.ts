import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import { refuseAny, textProblems } from '../text.ts'
import { findTeam, type Team } from './team.ts'

const teamNameMax = 100

export interface NewTeam {
  readonly id?: string
  readonly name: string
  readonly memberIds: readonly string[]
  readonly externalId?: string | null
}

/** As events and the audit log tell of it. */
const told = ({ id, organizationId, name, userIds: memberIds }: Team) => ({ id, organizationId, name, memberIds })

export async function addTeam(ctx: RequestContext, wanted: NewTeam): Promise<Team> {
  const { id = newId(), name, memberIds, externalId = null } = wanted
  const { organizationId } = ctx.caller
  refuseName(name)
  await refuseStrangers(ctx, memberIds)
  await ctx.db.query(
    `insert into identity.team (organization_id, id, name, external_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)`,
    [organizationId, id, name, externalId, ctx.clock.now().toISOString()],
  )
  await writeMembers(ctx, id, memberIds, [])
  const added = (await findTeam(ctx.db, organizationId, id))!
  await appendEvent(ctx, { type: 'team.created', record: told(added) })
  await appendAudit(ctx, { action: 'team.created', target: { type: 'team', id }, after: told(added) })
  return added
}

export interface TeamChange {
  readonly name?: string
  readonly externalId?: string | null
  /** All of them; or those who join and those who leave. */
  readonly members?: readonly string[]
  readonly joining?: readonly string[]
  readonly leaving?: readonly string[]
}

/** Members follow the change in every process with the commit: what they see is counted from their teams. */
export function changeTeam(ctx: RequestContext, id: string, change: TeamChange): Promise<Team> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await lockedTeam(inner, id)
    const { name = previous.name, externalId = previous.externalId } = change
    refuseName(name)
    const leaving = new Set(change.leaving)
    const members = [...(change.members ?? previous.userIds), ...(change.joining ?? [])].filter(
      (user) => !leaving.has(user),
    )
    const joining = members.filter((user) => !previous.userIds.includes(user))
    await refuseStrangers(inner, joining)
    const left = previous.userIds.filter((user) => !members.includes(user))
    if (name === previous.name && externalId === previous.externalId && joining.length + left.length === 0) {
      return previous
    }
    await inner.db.query(
      'update identity.team set name = $3, external_id = $4, updated_at = $5 where organization_id = $1 and id = $2',
      [organizationId, id, name, externalId, inner.clock.now().toISOString()],
    )
    await writeMembers(inner, id, joining, left)
    const changed = (await findTeam(inner.db, organizationId, id))!
    const [record, before] = [told(changed), told(previous)]
    const changedFields = (['name', 'memberIds'] as const).filter(
      (field) => String(record[field]) !== String(before[field]),
    )
    await appendEvent(inner, { type: 'team.updated', record, previous: before, changedFields })
    await appendAudit(inner, { action: 'team.updated', target: { type: 'team', id }, before: previous, after: changed })
    return changed
  })
}

export function removeTeam(ctx: RequestContext, id: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await lockedTeam(inner, id)
    const which = [organizationId, id]
    await inner.db.query('delete from identity.team_member where organization_id = $1 and team_id = $2', which)
    await inner.db.query('delete from identity.team where organization_id = $1 and id = $2', which)
    await appendEvent(inner, { type: 'team.deleted', record: told(previous) })
    await appendAudit(inner, { action: 'team.deleted', target: { type: 'team', id }, before: told(previous) })
    return id
  })
}

async function lockedTeam({ db, caller }: RequestContext, id: string): Promise<Team> {
  const found = await findTeam(db, caller.organizationId, id)
  if (found) {
    await db.query('select 1 from identity.team where organization_id = $1 and id = $2 for update', [
      caller.organizationId,
      id,
    ])
  }
  // Read again: another change may have come first.
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

function refuseName(name: string): void {
  const isBlank = name.trim() === ''
  refuseAny([
    ...textProblems('name', name, { max: teamNameMax }),
    ...(isBlank ? [{ path: 'name', code: 'EMPTY', message: 'name is not empty.' }] : []),
  ])
}

/** 400 unless each of them is a user of the organization. */
export async function refuseStrangers({ db, caller }: RequestContext, userIds: readonly string[]): Promise<void> {
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
      : [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} is no user of the organization.` }]
  })
  if (problems.length > 0) throw invalid(...problems.slice(0, 50))
}
