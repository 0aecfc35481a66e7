import { workingCredentials } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { fieldUsageDays, fieldUsageQueriesMax, type FieldUserKind } from '../../kernel/extension/field-usage.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { recordTypeOf } from './field-uses.ts'

export const recentUsersMax = 20

/** The first day that counts. */
const since = (now: Date): string => new Date(now.getTime() - fieldUsageDays * 86_400_000).toISOString().slice(0, 10)

interface NamedUser {
  readonly object: string
  /** Null: all people who are signed in. */
  readonly id: string | null
  readonly name: string
}

interface LastUse {
  readonly lastUsedOn: string
  /** The names of the queries, newest first. */
  readonly queries: readonly string[]
}

export type RecentUser = NamedUser & LastUse

interface StoredUse extends LastUse, Record<string, unknown> {
  readonly kind: FieldUserKind
  readonly credentialId: string
}

/** One row for each credential: the last day, and the queries of all fields of the record type, or of one. */
const usesSql = `
  with used as (
    select credential_kind as kind, credential_id as id, used_on, queries from kernel.field_usage
    where organization_id = $1 and object = $2 and ($3::text is null or field = $3) and used_on >= $4::date),
  named as (
    select u.kind, u.id, q.name, max(u.used_on) as used_on, min(q.place) as place
    from used u, unnest(u.queries) with ordinality q(name, place) group by 1, 2, 3)
  select u.kind, u.id as "credentialId", max(u.used_on)::text as "lastUsedOn", array(
    select n.name from named n where n.kind = u.kind and n.id = u.id
    order by n.used_on desc, n.place, n.name limit ${fieldUsageQueriesMax}) as queries
  from used u group by u.kind, u.id`

/** What several grants of one app have used. */
function joinedUse(uses: readonly LastUse[]): LastUse {
  const sorted = uses.toSorted((one, other) => (one.lastUsedOn > other.lastUsedOn ? -1 : 1))
  const queries = [...new Set(sorted.flatMap((use) => use.queries))]
  return { lastUsedOn: sorted[0]!.lastUsedOn, queries: queries.slice(0, fieldUsageQueriesMax) }
}

/** Who has named a custom field of a record type in requests of the last 90 days, or one of its custom fields, and still can: at most 20. */
export async function recentUsers(ctx: RequestContext, entity: string, field: string | null): Promise<RecentUser[]> {
  const { db, caller, clock } = ctx
  const { organizationId } = caller
  const uses = await db.query<StoredUse>(usesSql, [organizationId, recordTypeOf(entity), field, since(clock.now())])
  const idsOf = (...kinds: FieldUserKind[]) =>
    uses.filter(({ kind }) => kinds.includes(kind)).map(({ credentialId }) => credentialId)
  const functions = await db.query<NamedUser & { readonly credentialId: string } & Record<string, unknown>>(
    `select 'serverless_function' as object, id, name, id as "credentialId" from extensions.function
     where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null order by name, id`,
    [organizationId, idsOf('FUNCTION')],
  )
  const people = idsOf('SESSION').map((credentialId) => ({
    object: 'session',
    id: null,
    name: 'Signed-in users',
    credentialId,
  }))
  const credentials = await workingCredentials(ctx, idsOf('API_KEY', 'OAUTH'))
  const useOf = new Map(uses.map(({ credentialId, lastUsedOn, queries }) => [credentialId, { lastUsedOn, queries }]))
  const byUser = Map.groupBy([...credentials, ...functions, ...people], ({ object, id }) => `${object} ${id}`)
  return Array.from(byUser.values(), (same) => {
    const { object, id, name } = same[0]!
    return { object, id, name, ...joinedUse(same.map(({ credentialId }) => useOf.get(credentialId)!)) }
  }).slice(0, recentUsersMax)
}

/** Refuses with HAS_DEPENDENTS and `usedBy` if requests of the last 90 days have named the field, or one of the fields of the record type. */
export async function requireUnusedLately(ctx: RequestContext, entity: string, field: string | null): Promise<void> {
  const usedBy = await recentUsers(ctx, entity, field)
  if (usedBy.length === 0) return
  const what = field === null ? 'Requests have named fields of the object' : 'Requests have named the field'
  const message = `${what} in the last ${fieldUsageDays} days; delete it with \`force\`.`
  throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
}

export const forgetFieldUsage: Job = {
  name: 'custom_field.usage_forget',
  cron: '25 4 * * *',
  run: async ({ database, clock }: Services) => {
    await database.query('delete from kernel.field_usage where used_on < $1::date', [since(clock.now())])
  },
}
