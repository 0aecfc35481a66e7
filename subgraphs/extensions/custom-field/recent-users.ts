import { workingCredentials } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { fieldUsageDays, type FieldUserKind } from '../../kernel/extension/field-usage.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { recordTypeOf } from './field-uses.ts'

const shownMax = 20

/** The first day that counts. */
const since = (now: Date): string => new Date(now.getTime() - fieldUsageDays * 86_400_000).toISOString().slice(0, 10)

interface RecentUser {
  readonly object: string
  /** Null: all people who are signed in. */
  readonly id: string | null
  readonly name: string
}

/** Who has named a custom field of a record type in requests of the last 90 days, or one of its custom fields, and still can. */
async function recentUsers(ctx: RequestContext, object: string, field: string | null): Promise<RecentUser[]> {
  const { db, caller, clock } = ctx
  const { organizationId } = caller
  const uses = await db.query<{ kind: FieldUserKind; id: string }>(
    `select distinct credential_kind as kind, credential_id as id from kernel.field_usage
     where organization_id = $1 and object = $2 and ($3::text is null or field = $3) and used_on >= $4::date`,
    [organizationId, object, field, since(clock.now())],
  )
  const idsOf = (...kinds: FieldUserKind[]) => uses.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)
  const functions = await db.query<RecentUser & Record<string, unknown>>(
    `select 'serverless_function' as object, id, name from extensions.function
     where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null order by name, id`,
    [organizationId, idsOf('FUNCTION')],
  )
  const people: RecentUser[] =
    idsOf('SESSION').length > 0 ? [{ object: 'session', id: null, name: 'Signed-in users' }] : []
  return [...(await workingCredentials(ctx, idsOf('API_KEY', 'OAUTH'))), ...functions, ...people]
}

/** Refuses with HAS_DEPENDENTS and `usedBy` if requests of the last 90 days have named the field, or one of the fields of the record type. */
export async function requireUnusedLately(ctx: RequestContext, entity: string, field: string | null): Promise<void> {
  const usedBy = (await recentUsers(ctx, recordTypeOf(entity), field)).slice(0, shownMax)
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
