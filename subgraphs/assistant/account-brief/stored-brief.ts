import { visibleAccounts } from '../../crm/public.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { visibleRecords } from '../../kernel/record/visible-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { maySee, sightOf } from '../ai-execution/sight.ts'
import { mayReadType } from '../question/find-names.ts'
import type { AccountBrief } from './account-brief.types.ts'
import { briefsMax } from './bounds.ts'
import type { ReadRecords } from './read-facts.ts'

/** Stores a brief of the caller in place of the one before, with what the caller saw for it. The oldest leaves for the one above the bound. */
export async function storeBrief(
  { db, caller }: RequestContext,
  accountId: string,
  { summary, highlights, risks, model, generatedAt }: AccountBrief,
  records: ReadRecords,
): Promise<void> {
  const { organizationId, userId } = caller
  await db.query(
    `insert into assistant.account_brief
       (organization_id, user_id, account_id, summary, highlights, risks, model, sight, records, generated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (organization_id, user_id, account_id) do update set summary = excluded.summary, highlights = excluded.highlights,
       risks = excluded.risks, model = excluded.model, sight = excluded.sight, records = excluded.records, generated_at = excluded.generated_at`,
    [
      organizationId,
      userId,
      accountId,
      summary,
      JSON.stringify(highlights),
      JSON.stringify(risks),
      model,
      sightOf(caller),
      JSON.stringify(records),
      generatedAt,
    ],
    'WRITE',
  )
  await db.query(
    `delete from assistant.account_brief b using (
       select account_id from assistant.account_brief where organization_id = $1 and user_id = $2
       order by generated_at desc, account_id offset ${briefsMax}
     ) old where b.organization_id = $1 and b.user_id = $2 and b.account_id = old.account_id`,
    [organizationId, userId],
    'WRITE',
  )
}

interface StoredBrief extends AccountBrief, Record<string, unknown> {
  readonly accountId: string
  readonly sight: string
  readonly records: ReadRecords
}

/**
 * The briefs of the caller about these accounts that the caller may still see: the account, everything that the rights at that time
 * showed, and every record that the brief was written from.
 */
export async function shownBriefs(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccountBrief>> {
  const { caller, db } = ctx
  const accounts = await visibleAccounts(ctx, [...new Set(ids)])
  const rows = await db.query<StoredBrief>(
    `select account_id as "accountId", summary, highlights, risks, model, sight, records, generated_at as "generatedAt"
     from assistant.account_brief where organization_id = $1 and user_id = $2 and account_id = any($3::uuid[])`,
    [caller.organizationId, caller.userId, [...accounts]],
  )
  const allowed = rows.filter(
    ({ sight, records }) =>
      maySee(caller, sight) && Object.keys(records).every((object) => mayReadType(caller, object)),
  )
  const isSeen = await seenRecords(ctx, allowed)
  return new Map(
    allowed
      .filter(({ records }) => isSeen(records))
      .map(({ accountId, summary, highlights, risks, model, generatedAt }) => [
        accountId,
        { summary, highlights, risks, model, generatedAt },
      ]),
  )
}

/** Looks up the records of all briefs together, one statement for each type. */
async function seenRecords(
  ctx: RequestContext,
  briefs: readonly StoredBrief[],
): Promise<(records: ReadRecords) => boolean> {
  const wanted = new Map<string, Set<string>>()
  for (const [object, ids] of briefs.flatMap(({ records }) => Object.entries(records)))
    wanted.set(object, new Set([...(wanted.get(object) ?? []), ...ids]))
  const types = new Map([...wanted.keys()].map((object) => [object, recordType(object)()]))
  const visible = await visibleRecords(
    ctx,
    types,
    Object.fromEntries([...wanted].map(([object, ids]) => [object, [...ids]])),
  )
  const seen = new Set(Object.values(visible).flat())
  return (records) => Object.values(records).every((ids) => ids.every((id) => seen.has(id)))
}
