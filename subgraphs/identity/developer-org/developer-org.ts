import { ID, InputType, ObjectType } from 'type-graphql'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { OrganizationStatus } from '../organization/organization.ts'
import { nameLengthMax } from '../text.ts'

/** The most developer organizations of an organization at one time. */
export const developerOrgsMax = 5
/** The most that an organization creates in 24 hours, the deleted ones included. */
export const createdPerDay = 20

@ObjectType({
  description:
    'A developer organization: an organization of its own, to develop and try apps and configuration in, which belongs to the organization that created it. It has its own records, users, keys and settings.',
})
@RequiresScopes('SESSION')
export class DeveloperOrg {
  @OutputField(() => ID, {
    description: 'Id of the developer organization; `organizationId` of a sign-in to it.',
    example: '019a0c5e-7f00-7d3e-9b64-5c8f2e1a7d40',
  })
  id!: string

  @OutputField(() => ID, {
    description: 'Id of the organization that it belongs to.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @OutputField(() => String, {
    description: 'Name of the developer organization. Its own owners and admins can change it.',
    example: 'Fjordline sandbox',
  })
  name!: string

  @OutputField(() => OrganizationStatus, {
    description: 'SUSPENDED: no credential of the developer organization works. The operator of the platform sets it.',
    example: 'ACTIVE',
  })
  status!: OrganizationStatus

  @OutputField(() => DateTime, { description: 'When it was created.', example: '2026-11-02T08:15:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, { description: 'When it was last changed.', example: '2026-11-02T08:15:00.000Z' })
  updatedAt!: string
}

@InputType({ description: 'A developer organization to create.' })
export class DeveloperOrgCreateInput {
  @InputField(() => String, {
    max: nameLengthMax,
    filled: true,
    description: 'Name of the developer organization.',
    example: 'Fjordline sandbox',
  })
  name!: string
}

const columns = `id, developer_of as "organizationId", name, status, created_at as "createdAt", updated_at as "updatedAt"`

/** The live developer organizations of an organization, oldest first. */
export const developerOrgsOf = (sql: Sql, organizationId: string): Promise<DeveloperOrg[]> =>
  sql.query<DeveloperOrg>(
    `select ${columns} from identity.organization where developer_of = $1 and deleted_at is null order by created_at, id`,
    [organizationId],
  )

/** A live developer organization of the organization; null if it has none with this id. */
export async function findDeveloperOrg(sql: Sql, organizationId: string, id: string): Promise<DeveloperOrg | null> {
  if (!isId(id)) return null
  const [found] = await sql.query<DeveloperOrg>(
    `select ${columns} from identity.organization where developer_of = $1 and id = $2 and deleted_at is null`,
    [organizationId, id],
  )
  return found ?? null
}

/**
 * SQL that is true if the organization of the request and the given one are of one developer: the same, or a live developer organization and the one
 * that it belongs to, or two live ones of one organization. False in statements without the setting of the row-level security.
 */
export const isOfSameDeveloperSql = (organization: string): string => `identity.is_of_same_developer(${organization})`
