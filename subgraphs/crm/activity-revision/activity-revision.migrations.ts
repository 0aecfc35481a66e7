import type { Migration } from '../../kernel/database/migrate.ts'

export const activityRevisionTable: Migration = {
  name: '20261129-crm-activity-revision',
  sql: `
    alter table crm.activity add column corrected_at timestamptz(3);

    create table crm.activity_revision (
      id uuid not null,
      organization_id uuid not null,
      activity_id uuid not null,
      activity_version integer not null,
      subject text,
      body text,
      corrected_by_id uuid,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );
    create index activity_revision_activity on crm.activity_revision (organization_id, activity_id, created_at, id);
  `,
}
