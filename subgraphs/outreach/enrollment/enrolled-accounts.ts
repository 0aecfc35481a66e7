import { someOf, type NamingRows } from '../../kernel/record/merge/naming-rows.ts'

const ofMerged = `organization_id = $1 and account_id = any($2::uuid[]) and $3::text is not null and deleted_at is null
  and status in ('ACTIVE', 'PAUSED')`

/** The accounts of people in sequences, for `stopCompanyOnReply`. The column is no part of an answer, so its change has no event. */
export const enrolledAccounts: NamingRows = {
  object: 'sequence_enrollment',
  field: 'accountId',
  concerns: (object) => object === 'account',
  count: `select count(*)::int as count from (select from outreach.sequence_enrollment where ${ofMerged} limit $4::int) r`,
  move: `update outreach.sequence_enrollment set account_id = $4::uuid
    where ${someOf('outreach.sequence_enrollment', ofMerged)} returning 1`,
}
