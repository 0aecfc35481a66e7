import type { Migration } from '../../kernel/database/migrate.ts'

/** The entries of one record of a custom object, newest first. Other tasks and activities are in neither index. */
export const customRecordTimelines: Migration = {
  name: '20261213-crm-custom-record-timelines',
  sql: `
    create index activity_timeline_custom_record on crm.activity (organization_id, related_to_id, occurred_at, id)
      where deleted_at is null and related_to_type like 'custom:%';
    create index task_timeline_custom_record on crm.task (organization_id, related_to_id, (coalesce(completed_at, created_at)), id)
      where deleted_at is null and related_to_type like 'custom:%';
  `,
}
