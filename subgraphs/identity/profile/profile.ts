import { Field, ID, ObjectType } from 'type-graphql'
import type { FieldRestrictions } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/database.ts'
import { isId } from '../../kernel/ids.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'

@ObjectType({
  description:
    'Field-level security: which fields of records its users may read and write. Record visibility applies in addition.',
})
export class Profile {
  @Field(() => ID, { simple: true })
  id!: string

  @Field(() => ID, { simple: true })
  organizationId!: string

  @Field(() => String, { simple: true })
  name!: string

  @Field(() => Boolean, { simple: true, description: 'It holds for users who have no profile of their own.' })
  isDefault!: boolean

  @Field(() => Json, {
    simple: true,
    description:
      'HIDDEN or READ by object and field; `customFields.<name>` for a custom field. Fields that are not named are writable.',
  })
  fields!: FieldRestrictions

  @Field(() => DateTime, { simple: true })
  createdAt!: string

  @Field(() => DateTime, { simple: true })
  updatedAt!: string
}

const columns = `id, organization_id as "organizationId", name, is_default as "isDefault", fields, created_at as "createdAt",
  updated_at as "updatedAt"`

export async function findProfile(sql: Sql, organizationId: string, id: string): Promise<Profile | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<Profile>(
    `select ${columns} from identity.profile where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  return row ?? null
}

/** All profiles of the organization, ordered by name; at most `profilesMax`. */
export const profilesOf = (sql: Sql, organizationId: string): Promise<Profile[]> =>
  sql.query<Profile>(`select ${columns} from identity.profile where organization_id = $1 order by lower(name), id`, [
    organizationId,
  ])
