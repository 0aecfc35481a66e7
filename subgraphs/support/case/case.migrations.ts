import type { Migration } from '../../kernel/database/migrate.ts'
import {
  columnIndexes,
  dropMaintainedCountTriggers,
  maintainedCountTriggers,
  maintainedTotals,
  recordColumns,
  recordIndexes,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const caseTables: Migration = {
  name: '20261121-support-case',
  sql: `
    create table support."case" (${recordColumns},
      case_number integer not null,
      subject text not null,
      description text,
      status text not null,
      priority text not null,
      type text not null,
      origin text not null,
      account_id uuid,
      contact_id uuid,
      opportunity_id uuid,
      assigned_to_id uuid,
      sla_due_at timestamptz(3),
      first_response_due_at timestamptz(3),
      first_response_at timestamptz(3),
      resolved_at timestamptz(3),
      closed_at timestamptz(3),
      escalated_at timestamptz(3),
      escalation_level integer not null,
      reopen_count integer not null,
      ai_summary jsonb,
      paused_at timestamptz(3),
      sla_breached_at timestamptz(3)
    );
    ${recordIndexes('support."case"', 'case')}
    create index case_owner on support."case" (organization_id, owner_id, created_at, id) where deleted_at is null;
    create unique index case_number on support."case" (organization_id, case_number);
    create index case_assignee on support."case" (organization_id, assigned_to_id, created_at, id) where deleted_at is null;
    create index case_account on support."case" (organization_id, account_id, created_at, id) where deleted_at is null;
    create index case_contact on support."case" (organization_id, contact_id) where deleted_at is null;
    create index case_resolved on support."case" (resolved_at) where status = 'RESOLVED' and deleted_at is null;
    create index case_sla_due on support."case" (sla_due_at) where sla_breached_at is null and deleted_at is null;
    ${maintainedCountTriggers('support."case"', 'case')}

    create table support.case_comment (
      id uuid not null,
      organization_id uuid not null,
      case_id uuid not null,
      body text not null,
      is_internal boolean not null default false,
      author_id uuid,
      author_type text not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, id)
    );

    create index case_comment_case on support.case_comment (organization_id, case_id, created_at, id);
  `,
}

export const caseIndexes: Migration = {
  name: '20261122-support-case-indexes',
  sql: `
    drop index support.case_contact;
    drop index support.case_updated;
    ${searchIndex('support."case"', 'case', ['subject', 'description'])}
    ${columnIndexes('support."case"', 'case', [
      'updated_at',
      'external_id',
      'subject',
      'status',
      'priority',
      'type',
      'origin',
      'contact_id',
      'opportunity_id',
      'sla_due_at',
      'resolved_at',
      'closed_at',
      'escalated_at',
      'escalation_level',
    ])}
  `,
}

export const caseTotals: Migration = {
  name: '20261122-support-case-totals',
  sql: `
    ${dropMaintainedCountTriggers('support."case"', 'case')}
    ${maintainedTotals('support."case"', {
      by: ['status', 'priority', 'type', 'origin'],
      measures: {
        unassigned: '(assigned_to_id is null)::int',
        reopened: '(reopen_count > 0)::int',
        ever_resolved: '(reopen_count > 0 or resolved_at is not null)::int',
        resolved_late: 'coalesce(resolved_at > sla_due_at, false)::int',
        breach_announced: '(sla_breached_at is not null)::int',
        first_response_seconds: 'extract(epoch from first_response_at - created_at)',
        with_first_response: '(first_response_at is not null)::int',
        resolution_seconds: 'extract(epoch from resolved_at - created_at)',
        with_resolution: '(resolved_at is not null)::int',
      },
    })}
    create index case_due on support."case" (organization_id, status, sla_due_at)
      where deleted_at is null and sla_breached_at is null;
    create index case_breached on support."case" (organization_id, status, sla_due_at)
      where deleted_at is null and sla_breached_at is not null;
    create index case_open_assignee on support."case" (organization_id, assigned_to_id)
      where deleted_at is null and status not in ('RESOLVED', 'CLOSED');
  `,
}

/** Organizations take turns, so the due cases of each are found on their own. */
export const caseTurns: Migration = {
  name: '20261211-support-case-turns',
  sql: `
    drop index support.case_resolved;
    create index case_resolved on support."case" (organization_id, resolved_at, id) where status = 'RESOLVED' and deleted_at is null;
    drop index support.case_sla_due;
    create index case_sla_due on support."case" (organization_id, sla_due_at, id) where sla_breached_at is null and deleted_at is null
      and status not in ('RESOLVED', 'CLOSED', 'PENDING_CUSTOMER');
  `,
}
