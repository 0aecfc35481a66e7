import { someOf, type NamingRows } from '../../kernel/record/merge/naming-rows.ts'

const ofMerged = `organization_id = $1 and $3::text is not null and settings -> 'excludeAccountIds' ?| $2::text[]`

/** The customers without reminders. If an excluded account is merged into another one, that is excluded. */
export const excludedAccounts: NamingRows = {
  object: 'dunning_settings',
  field: 'excludeAccountIds',
  concerns: (object) => object === 'account',
  count: `select count(*)::int as count from (select from commerce.dunning_setting where ${ofMerged} limit $4::int) r`,
  move: `update commerce.dunning_setting set version = version + 1, settings = jsonb_set(settings, '{excludeAccountIds}', (
      select jsonb_agg(distinct case when id = any($2::text[]) then $4::text else id end)
      from jsonb_array_elements_text(settings -> 'excludeAccountIds') id))
    where ${someOf('commerce.dunning_setting', ofMerged)} returning 1`,
}
