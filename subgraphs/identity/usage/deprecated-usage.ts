import type { RequestContext } from '../../kernel/request.ts'
import { isAdministrator } from '../organization/organization.ts'
import { credentialNames } from './credential-names.ts'
import type { DeprecatedUsage } from './usage.types.ts'

const days = 30
const dayMs = 86_400_000
const rowsMax = 1000

/** Calls of deprecated operations today and in the 29 days before: of the caller's own keys and sessions; for owners and admins, of the whole organization. */
export async function deprecatedUsage(ctx: RequestContext): Promise<DeprecatedUsage[]> {
  const { organizationId, userId, role } = ctx.caller
  const first = new Date(ctx.clock.now().getTime() - (days - 1) * dayMs).toISOString().slice(0, 10)
  const rows = await ctx.db.query<Omit<DeprecatedUsage, 'name'>>(
    `select credential_kind as "credentialKind", credential_id as "credentialId", operation_id as "operationId",
       max(endpoint) as endpoint, max(sunset_on)::text as sunset, sum(calls)::int8 as calls, max(last_at) as "lastCalledAt"
     from identity.deprecated_call
     where organization_id = $1 and day >= $2::date and ($3::uuid is null or user_id = $3)
     group by credential_kind, credential_id, operation_id order by calls desc, credential_id, operation_id limit ${rowsMax}`,
    [organizationId, first, isAdministrator(role) ? null : userId],
  )
  const names = await credentialNames(ctx, rows)
  return rows.map((row) => ({ ...row, name: names.get(row.credentialId) ?? null }))
}
