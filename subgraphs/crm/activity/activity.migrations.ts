import type { Migration } from '../../kernel/database/migrate.ts'
import {
  dayIndexes,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const activityTable: Migration = {
  name: '20261123-crm-activity',
  sql: `
    create table crm.activity (${recordColumns},
      related_to_type text,
      related_to_id uuid,
      account_id uuid,
      contact_id uuid,
      lead_id uuid,
      opportunity_id uuid,
      case_id uuid,
      type text not null,
      direction text,
      subject text,
      body text,
      outcome text,
      occurred_at timestamptz(3) not null,
      ended_at timestamptz(3),
      duration_seconds integer,
      actor_id uuid,
      participants jsonb not null default '[]',
      sentiment text,
      source text,
      source_id text,
      is_automated boolean not null default false,
      is_planned boolean not null default false
    );
    ${searchIndex('crm.activity', 'activity', ['subject', 'body'])}
    ${listIndexes('crm.activity', 'activity', [
      'related_to_id',
      'account_id',
      'contact_id',
      'lead_id',
      'opportunity_id',
      'case_id',
      'type',
      'outcome',
      'occurred_at',
      'actor_id',
    ])}
    ${maintainedTotals('crm.activity', {
      by: ['type', 'direction', 'outcome'],
      measures: { automated: 'is_automated::int' },
    })}
  `,
}

export const activityDays: Migration = {
  name: '20261125-crm-activity-days',
  sql: dayIndexes('crm.activity', 'activity', ['occurred_at']),
}

/** Finds the activities in which a contact or lead takes part, when it is merged into another one. */
export const activityParticipants: Migration = {
  name: '20261215-crm-activity-participants',
  sql: `create index activity_participants on crm.activity using gin (organization_id, participants jsonb_path_ops)
    where deleted_at is null and participants <> '[]';`,
}
