import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { administering } from '../admin/administer.ts'
import { addTeam, changeTeam, removeTeam } from '../team/team.actions.ts'
import { refuseAny, textProblems } from '../text.ts'
import { emptyToNull, ScimReference, type ScimMatches, type ScimRange } from './scim-user.ts'

@ObjectType({ description: 'A team in the form of a SCIM group.' })
@RequiresScopes('SCIM')
export class ScimGroup {
  @Field(() => ID, { simple: true, description: 'Id of the team.' })
  id!: string

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'Id of the group in the directory; null if the directory sent none.',
  })
  externalId!: string | null

  @Field(() => String, { simple: true, description: 'Name of the team.' })
  displayName!: string

  @Field(() => [ScimReference], { simple: true, description: 'Members of the team, ordered by id.' })
  members!: ScimReference[]

  @Field(() => DateTime, { simple: true, description: 'When the team was created.' })
  createdAt!: string

  @Field(() => DateTime, { simple: true, description: 'When the team or its members were last changed.' })
  updatedAt!: string
}

@ObjectType({ description: 'A part of a list of groups.' })
@RequiresScopes('SCIM')
export class ScimGroupPage {
  @Field(() => Int, { simple: true, description: 'Number of all matches, also beyond this part.' })
  total!: number

  @Field(() => [ScimGroup], { simple: true, description: 'The matches of this part.' })
  data!: ScimGroup[]
}

@InputType({ description: 'Attributes of a group; absent ones are not changed.' })
export class ScimGroupInput {
  @Field(() => String, { nullable: true, description: 'Name of the team, 1 to 100 characters; required on create.' })
  displayName?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Id of the group in the directory, at most 255 characters; empty text removes it.',
  })
  externalId?: string | null

  @Field(() => [ID], { nullable: true, description: 'Ids of all members; replaces the former members.' })
  members?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Ids of members to add.' })
  joining?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Ids of members to remove.' })
  leaving?: string[] | null
}

const columns = `t.id, t.external_id as "externalId", t.name as "displayName", t.created_at as "createdAt",
  t.updated_at as "updatedAt", coalesce((
    select jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name) order by u.id) from identity.team_member m
    join identity.admin_user u on u.organization_id = m.organization_id and u.id = m.user_id and u.deleted_at is null
    where m.organization_id = t.organization_id and m.team_id = t.id
  ), '[]') as members`

export async function readScimGroup({ db, caller }: RequestContext, id: string): Promise<ScimGroup> {
  const [row] = isId(id)
    ? await db.query<ScimGroup>(`select ${columns} from identity.team t where t.organization_id = $1 and t.id = $2`, [
        caller.organizationId,
        id,
      ])
    : []
  if (!row) throw notFound('The group')
  return row
}

/** Compares names without regard to case, as SCIM requires for displayName. */
export async function findScimGroups(
  { db, caller }: RequestContext,
  { displayName, externalId }: Pick<ScimGroupInput, 'displayName' | 'externalId'>,
  { startIndex, count }: ScimRange,
): Promise<ScimMatches<ScimGroup>> {
  const where = `t.organization_id = $1
    and ($2::text is null or lower(t.name) = lower($2)) and ($3::text is null or t.external_id = $3)`
  const values = [caller.organizationId, displayName ?? null, externalId ?? null]
  const [counted] = await db.query<{ total: number }>(
    `select count(*)::int8 as total from identity.team t where ${where}`,
    values,
  )
  const data = await db.query<ScimGroup>(
    `select ${columns} from identity.team t where ${where} order by t.created_at, t.id limit $4 offset $5`,
    [...values, count, startIndex - 1],
  )
  return { total: counted!.total, data }
}

export function createScimGroup(ctx: RequestContext, input: ScimGroupInput): Promise<ScimGroup> {
  const { displayName, members } = input
  const externalId = emptyToNull(input.externalId) ?? null
  if (!displayName) throw invalid({ path: 'displayName', code: 'REQUIRED', message: 'displayName is required.' })
  refuseAny(textProblems('externalId', externalId ?? '', { max: 255 }))
  return administering(ctx, async (inner) => {
    await refuseTaken(inner, { displayName, externalId }, null)
    const { id } = await addTeam(inner, { name: displayName, externalId, memberIds: lowerCased(members) })
    return readScimGroup(inner, id)
  })
}

export function updateScimGroup(ctx: RequestContext, id: string, input: ScimGroupInput): Promise<ScimGroup> {
  const { displayName, members, joining, leaving } = input
  const externalId = emptyToNull(input.externalId)
  refuseAny(textProblems('externalId', externalId ?? '', { max: 255 }))
  return administering(ctx, async (inner) => {
    await readScimGroup(inner, id)
    await refuseTaken(inner, { displayName: displayName ?? null, externalId: externalId ?? null }, id)
    await changeTeam(inner, id, {
      ...(displayName != null && { name: displayName }),
      ...(externalId !== undefined && { externalId }),
      ...(members && { members: lowerCased(members) }),
      joining: lowerCased(joining),
      leaving: lowerCased(leaving),
    })
    return readScimGroup(inner, id)
  })
}

export const removeScimGroup = (ctx: RequestContext, id: string): Promise<string> =>
  administering(ctx, (inner) => removeTeam(inner, id))

const lowerCased = (ids: readonly string[] | null | undefined): string[] => [
  ...new Set((ids ?? []).map((id) => id.toLowerCase())),
]

/** Refuses a second group with the same name or id from a directory. Teams created by administrators may share a name. */
async function refuseTaken(
  ctx: RequestContext,
  { displayName, externalId }: { readonly displayName: string | null; readonly externalId: string | null },
  ownId: string | null,
): Promise<void> {
  const found = await ctx.db.query(
    `select 1 from identity.team where organization_id = $1 and (lower(name) = lower($2) or external_id = $3)
     and id is distinct from $4 limit 1`,
    [ctx.caller.organizationId, displayName, externalId, ownId],
  )
  if (found.length > 0) {
    const errors = [{ path: 'displayName', code: 'NOT_UNIQUE', message: 'displayName and externalId must be unique.' }]
    throw new Refusal('UNIQUE_VIOLATION', 'displayName and externalId must be unique; another group has one of them.', {
      errors,
    })
  }
}
