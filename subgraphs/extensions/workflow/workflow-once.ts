import { someOf, type NamingRows } from '../../kernel/record/merge/naming-rows.ts'

const ofMerged = 'organization_id = $1 and record_id = any($2::uuid[]) and $3::text is not null'

/** For a record that others were merged into, a workflow that runs once for each record has run if it has for one of them. */
export const workflowOnce: NamingRows = {
  object: 'workflow',
  field: 'runOnce',
  concerns: () => true,
  count: `select count(*)::int as count from (select from extensions.workflow_once where ${ofMerged} limit $4::int) r`,
  move: `with moved as (
      delete from extensions.workflow_once where ${someOf('extensions.workflow_once', ofMerged)} returning organization_id, workflow_id),
    written as (
      insert into extensions.workflow_once (organization_id, workflow_id, record_id)
      select distinct organization_id, workflow_id, $4::uuid from moved on conflict do nothing)
    select 1 from moved`,
}
