import type { Migration } from '../../kernel/database/migrate.ts'
import {
  dayIndexes,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const taskTable: Migration = {
  name: '20261123-crm-task',
  sql: `
    create table crm.task (${recordColumns},
      related_to_type text,
      related_to_id uuid,
      account_id uuid,
      contact_id uuid,
      lead_id uuid,
      opportunity_id uuid,
      case_id uuid,
      subject text not null,
      description text,
      type text not null,
      status text not null,
      priority text not null,
      due_date timestamptz(3),
      start_date timestamptz(3),
      reminder_at timestamptz(3),
      completed_at timestamptz(3),
      completed_by_id uuid,
      is_overdue boolean not null default false,
      assigned_to_id uuid,
      sequence_enrollment_id uuid,
      source text not null
    );
    ${searchIndex('crm.task', 'task', ['subject', 'description'])}
    ${listIndexes('crm.task', 'task', [
      'related_to_id',
      'account_id',
      'contact_id',
      'lead_id',
      'opportunity_id',
      'case_id',
      'subject',
      'type',
      'status',
      'priority',
      'due_date',
      'completed_at',
      'is_overdue',
      'assigned_to_id',
    ])}
    ${maintainedTotals('crm.task', {
      by: ['type', 'status', 'priority', 'is_overdue'],
      measures: { unassigned: '(assigned_to_id is null)::int' },
    })}
  `,
}

export const taskClock: Migration = {
  name: '20261123-crm-task-clock',
  sql: `
    alter table crm.task
      add column recurrence_rule text,
      add column next_task_id uuid,
      add column reminded_at timestamptz(3);
    create index task_reminder on crm.task (reminder_at) where reminded_at is null and deleted_at is null
      and status not in ('COMPLETED', 'CANCELLED');
    create index task_overdue on crm.task (due_date) where not is_overdue and deleted_at is null
      and status not in ('COMPLETED', 'CANCELLED');
  `,
}

export const taskDays: Migration = {
  name: '20261125-crm-task-days',
  sql: dayIndexes('crm.task', 'task', ['due_date']),
}

/** Organizations take turns, so the due tasks of each are found on their own. */
export const taskTurns: Migration = {
  name: '20261211-crm-task-turns',
  sql: `
    drop index crm.task_reminder;
    create index task_reminder on crm.task (organization_id, reminder_at, id) where reminded_at is null and deleted_at is null
      and status not in ('COMPLETED', 'CANCELLED');
    drop index crm.task_overdue;
    create index task_overdue on crm.task (organization_id, due_date, id) where not is_overdue and deleted_at is null
      and status not in ('COMPLETED', 'CANCELLED');
  `,
}
