import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

@ObjectType({ description: 'A group of users. Members with the visibility TEAM see the records of the other members.' })
@Entity({ schema: 'identity', tableName: 'admin_team' })
export class Team {
  @Column(() => ID, { description: 'Id of the team.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => String, { max: 100, filled: true, description: 'Name of the team.' })
  name!: string

  @NamesRecord('user')
  @Column(() => [String], { computed: true, description: 'Ids of the members.' })
  userIds!: string[]

  @Column(() => String, {
    nullable: true,
    description: 'Id of the group in the directory that provisions it by SCIM; null if the directory gave none.',
  })
  externalId!: string | null

  @Column(() => DateTime, { description: 'When the team was created.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the team was last changed.' })
  updatedAt!: string
}

const columns = `t.id, t.organization_id as "organizationId", t.name, t.user_ids as "userIds", t.external_id as "externalId",
  t.created_at as "createdAt", t.updated_at as "updatedAt"`

export async function findTeam(sql: Sql, organizationId: string, id: string): Promise<Team | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<Team>(
    `select ${columns} from identity.admin_team t where t.organization_id = $1 and t.id = $2`,
    [organizationId, id],
  )
  return row ?? null
}

/** The teams of a user. */
export function teamsOf(sql: Sql, organizationId: string, userId: string): Promise<Team[]> {
  return sql.query<Team>(
    `select ${columns} from identity.admin_team t
     join identity.team_member m on m.organization_id = t.organization_id and m.team_id = t.id
     where m.organization_id = $1 and m.user_id = $2 order by t.name, t.id`,
    [organizationId, userId],
  )
}
