import { notFound } from '../kernel/errors.ts'
import { inTransaction, systemContext, type Services } from '../kernel/request.ts'
import { issueCode } from './one-time-token/reset-code.ts'
import type { OrganizationStatus } from './organization/organization.ts'
import { normalizeEmail } from './text.ts'

// What operators need to find organizations and to help their owners.

/** The most organizations of one list. */
const listedMax = 1_000

export interface ListedOrganization {
  readonly id: string
  readonly code: string
  readonly name: string
  /** DELETED: a developer organization that was deleted, and stays suspended. */
  readonly status: OrganizationStatus | 'DELETED'
  readonly createdAt: string
  /** Addresses of its active owners. */
  readonly owners: readonly string[]
}

/** Organizations by name, at most 1,000, whose name or code contains a text. `total` counts all of them. */
export async function listOrganizations(
  { database }: Pick<Services, 'database'>,
  text = '',
): Promise<{ readonly organizations: readonly ListedOrganization[]; readonly total: number }> {
  const rows = await database.query<ListedOrganization & { readonly total: number }>(
    `select o.id, o.code, o.name, case when o.deleted_at is null then o.status else 'DELETED' end as status,
       o.created_at as "createdAt", o.total, coalesce(u.owners, '{}') as owners
     from (
       select *, count(*) over ()::int as total from identity.organization
       where strpos(lower(name), lower($1)) > 0 or strpos(code, upper($1)) > 0
       order by name, id limit ${listedMax}
     ) o
     left join lateral (
       select array_agg(p.email order by p.email) as owners
       from identity.app_user u join identity.person p on p.id = u.person_id
       where u.organization_id = o.id and u.role = 'OWNER' and u.is_active and u.left_at is null
     ) u on true
     order by o.name, o.id`,
    [text],
  )
  return { organizations: rows, total: rows[0]?.total ?? 0 }
}

/** Issues a code with which an active owner of the organization sets a new password, as if it had been mailed. Earlier codes become invalid. */
export function issueOwnerCode(
  services: Services,
  organizationId: string,
  ownerEmail: string,
): Promise<{ readonly code: string; readonly expiresAt: Date }> {
  const email = normalizeEmail(ownerEmail)
  return inTransaction(systemContext(services, organizationId), async (ctx) => {
    const [owner] = await ctx.db.query<{ personId: string }>(
      `select u.person_id as "personId" from identity.app_user u join identity.person p on p.id = u.person_id
       where u.organization_id = $1 and p.email = $2 and u.role = 'OWNER' and u.is_active and u.left_at is null`,
      [organizationId, email],
    )
    if (!owner) throw notFound(`An active owner ${email} of the organization`)
    return issueCode(ctx, { email, personId: owner.personId })
  })
}
