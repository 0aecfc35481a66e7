import { Field, ID, ObjectType } from 'type-graphql'
import type { Role } from '../../kernel/context.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { Sql } from '../../kernel/database/sql.ts'

export const OrganizationStatus = enumeration('OrganizationStatus', 'Whether an organization can use the platform.', {
  ACTIVE: 'Its credentials work.',
  SUSPENDED: 'All its credentials answer 401 ORGANIZATION_SUSPENDED.',
})
export type OrganizationStatus = keyof typeof OrganizationStatus

@ObjectType({ description: 'An organization (tenant). Every record belongs to exactly one.' })
export class Organization {
  @Field(() => ID, { simple: true, description: 'Id of the organization.' })
  id!: string

  @Field(() => String, { simple: true, description: 'Name of the organization.' })
  name!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Code with which a person registers into the organization; null unless the user is an owner or admin.',
  })
  code!: string | null

  @Field(() => OrganizationStatus, { simple: true, description: 'SUSPENDED: no credential of the organization works.' })
  status!: OrganizationStatus

  @Field(() => [String], { simple: true, description: 'Names of the features that the plan includes.' })
  entitlements!: string[]

  @Field(() => DateTime, { simple: true, description: 'When the organization was created.' })
  createdAt!: string

  @Field(() => DateTime, { simple: true, description: 'When the organization was last changed.' })
  updatedAt!: string
}

export const isAdministrator = (role: Role): boolean => role === 'OWNER' || role === 'ADMIN'

/** Hides the code from users who may not add people, because everybody with the code can join. */
export const hideCodeUnlessAdministrator = (role: Role, organization: Organization): Organization =>
  isAdministrator(role) ? organization : { ...organization, code: null }

const columns = 'id, name, code, status, entitlements, created_at as "createdAt", updated_at as "updatedAt"'

export async function findOrganization(sql: Sql, id: string, { lock = false } = {}): Promise<Organization | null> {
  const locking = lock ? ' for no key update' : ''
  const [row] = await sql.query<Organization>(`select ${columns} from identity.organization where id = $1${locking}`, [
    id,
  ])
  return row ?? null
}

export async function findOrganizationByCode(sql: Sql, code: string): Promise<Organization | null> {
  const [row] = await sql.query<Organization>(`select ${columns} from identity.organization where code = $1`, [code])
  return row ?? null
}
