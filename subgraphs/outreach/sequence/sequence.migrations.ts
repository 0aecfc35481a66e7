import type { Migration } from '../../kernel/database/migrate.ts'
import {
  columnIndexes,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const sequenceTables: Migration = {
  name: '20261125-outreach-sequence',
  sql: `
    create table outreach.sequence (${recordColumns},
      name text not null,
      description text,
      status text not null,
      entity_types text[] not null default '{}',
      settings jsonb not null,
      step_count int not null default 0,
      -- The number of changes of the steps: a changed step is a new version of the sequence.
      step_revision int not null default 0,
      activated_at timestamptz(3),
      -- When the sequence stopped; its clocks stand still since then. Null while it is ACTIVE and before it was ACTIVE for the first time.
      paused_at timestamptz(3),
      -- Milliseconds of all earlier pauses together: the clocks of enrollments are late by them (next_run_at of an enrollment).
      paused_ms double precision not null default 0
    );
    ${listIndexes('outreach.sequence', 'sequence', ['name', 'status', 'activated_at'])}
    ${searchIndex('outreach.sequence', 'sequence', ['name', 'description'])}

    create table outreach.sequence_step (${recordColumns},
      sequence_id uuid not null,
      -- 1 to n among the live steps. A deleted step keeps its last position.
      position int not null,
      type text not null,
      name text,
      delay_days int not null,
      delay_hours int not null,
      delay_from text not null,
      template_id uuid,
      subject text,
      body_html text,
      body_text text,
      reply_in_thread boolean not null default false,
      variants jsonb not null default '[]',
      task jsonb,
      condition jsonb,
      webhook_url text,
      is_active boolean not null default true,
      -- Of a deleted step: the step that took its place; null if it was the last. An enrollment whose current step is deleted goes on there.
      successor_id uuid,
      constraint sequence_step_position exclude using btree
        (organization_id with =, sequence_id with =, position with =) where (deleted_at is null) deferrable initially deferred
    );
    -- The steps of a sequence in their order.
    create index sequence_step_of_sequence on outreach.sequence_step (organization_id, sequence_id, position) where deleted_at is null;
    create index sequence_step_template on outreach.sequence_step (organization_id, template_id) where template_id is not null;
    ${listIndexes('outreach.sequence_step', 'sequence_step', [])}

    create table outreach.sequence_enrollment (${recordColumns},
      sequence_id uuid not null,
      -- LEAD or CONTACT, and its id.
      entity_type text not null,
      entity_id uuid not null,
      -- Its account at the time of the enrollment, for stopCompanyOnReply; null without one.
      account_id uuid,
      -- Its canonical address at the time of the enrollment, so that a reply, a bounce or an unsubscribe finds the enrollment; null without one.
      email text,
      status text not null,
      -- The step that is executed next, and its position when it was scheduled. Null when the enrollment has ended.
      current_step_id uuid,
      current_step_position int,
      -- The round: a condition that leads to a step that was executed in this round begins the next one. A step is executed at most once in a
      -- round, so after a reordering of the steps, the way forward passes over those that the round has executed.
      visit int not null default 1,
      -- When that step is due, if the sequence has been paused for paused_ms in all: with p = paused_ms of the sequence, it is due at
      -- next_run_at + (p - paused_ms), and never while the sequence is not ACTIVE. So a pause of a sequence changes no enrollment. Null
      -- unless the status is ACTIVE.
      next_run_at timestamptz(3),
      paused_ms double precision not null default 0,
      -- True when the worker met the enrollment while its sequence was not ACTIVE: it is not looked at again until the sequence goes on.
      is_parked boolean not null default false,
      -- The delay that is left, in milliseconds; null unless the status is PAUSED.
      remaining_ms double precision,
      enrolled_by_id uuid,
      -- The user whose name and limit the mails have.
      sender_id uuid,
      -- IANA name of the time zone of the recipient; null if unknown.
      time_zone text,
      enrolled_at timestamptz(3) not null,
      paused_at timestamptz(3),
      pause_reason text,
      finished_at timestamptz(3),
      exit_reason text,
      -- The thread of its mails, for replyInThread and for stopping by a reply; null before the first mail.
      thread_id uuid,
      -- The first time of each, for the statistics.
      contacted_at timestamptz(3),
      opened_at timestamptz(3),
      clicked_at timestamptz(3),
      replied_at timestamptz(3),
      bounced_at timestamptz(3),
      unsubscribed_at timestamptz(3),
      meeting_at timestamptz(3),
      -- Failed executions of the current step.
      failures int not null default 0,
      -- The worker that executes the current step, until the time by the clock of the database.
      lease_token uuid,
      leased_until timestamptz(3)
    );
    -- One running enrollment for each record and sequence.
    create unique index sequence_enrollment_running on outreach.sequence_enrollment (organization_id, sequence_id, entity_id)
      where deleted_at is null and status in ('ACTIVE', 'PAUSED');
    -- What the worker executes, of all organizations and of each of them.
    create index sequence_enrollment_due on outreach.sequence_enrollment (next_run_at, organization_id, id)
      where deleted_at is null and status = 'ACTIVE' and not is_parked;
    create index sequence_enrollment_due_of_organization on outreach.sequence_enrollment (organization_id, next_run_at, id)
      where deleted_at is null and status = 'ACTIVE' and not is_parked;
    -- All running enrollments of an account, and all enrollments of an address and of a thread. Those of a sequence: sequence_enrollment_running.
    create index sequence_enrollment_of_account on outreach.sequence_enrollment (organization_id, account_id, id)
      where deleted_at is null and status in ('ACTIVE', 'PAUSED') and account_id is not null;
    create index sequence_enrollment_of_email on outreach.sequence_enrollment (organization_id, email, id)
      where deleted_at is null and email is not null;
    create index sequence_enrollment_of_thread on outreach.sequence_enrollment (organization_id, thread_id)
      where deleted_at is null and thread_id is not null;
    -- Who is in a step, when the step is deleted.
    create index sequence_enrollment_in_step on outreach.sequence_enrollment (organization_id, current_step_id)
      where deleted_at is null and status in ('ACTIVE', 'PAUSED');
    -- The lists of a sequence and of a record.
    create index sequence_enrollment_list on outreach.sequence_enrollment (organization_id, sequence_id, status, created_at, id)
      where deleted_at is null;
    ${columnIndexes('outreach.sequence_enrollment', 'sequence_enrollment', ['sequence_id', 'entity_id'])}
    ${listIndexes('outreach.sequence_enrollment', 'sequence_enrollment', [])}
    ${maintainedTotals('outreach.sequence_enrollment', {
      by: ['sequence_id', 'status'],
      measures: {
        contacted: '(contacted_at is not null)::int',
        opened: '(opened_at is not null)::int',
        clicked: '(clicked_at is not null)::int',
        replied: '(replied_at is not null)::int',
        bounced: '(bounced_at is not null)::int',
        unsubscribed: '(unsubscribed_at is not null)::int',
        meetings: '(meeting_at is not null)::int',
      },
    })}
    create index sequence_enrollment_totals_sequence on outreach.sequence_enrollment_totals (organization_id, sequence_id)
      where kind in ('CHANGE', 'GROUP');

    -- One row for each execution of a step. It is inserted in the transaction that makes the effect (the mail and its queue row, the task) and
    -- schedules the next step, so its unique index is what prevents a second send.
    create table outreach.sequence_attempt (
      organization_id uuid not null,
      id uuid not null,
      enrollment_id uuid not null,
      sequence_id uuid not null,
      step_id uuid not null,
      -- The round of the enrollment (visit of the enrollment).
      visit int not null,
      step_type text not null,
      step_position int not null,
      -- The variant of an EMAIL step that was chosen; null without variants.
      variant_id uuid,
      sender_id uuid,
      result text not null,
      -- What went wrong, or why it was skipped; null otherwise.
      detail text,
      executed_at timestamptz(3) not null,
      -- The mail (outreach.email_message) or the task that the step made.
      message_id uuid,
      task_id uuid,
      -- The first time of each, for the statistics of the step; the mail says more.
      opened_at timestamptz(3),
      clicked_at timestamptz(3),
      replied_at timestamptz(3),
      bounced_at timestamptz(3),
      primary key (organization_id, id),
      constraint sequence_attempt_once unique (organization_id, enrollment_id, step_id, visit)
    );
    -- The attempts of an enrollment in their order, and the attempt of a mail.
    create index sequence_attempt_of_enrollment on outreach.sequence_attempt (organization_id, enrollment_id, executed_at, id);
    create unique index sequence_attempt_message on outreach.sequence_attempt (organization_id, message_id) where message_id is not null;
    ${maintainedTotals('outreach.sequence_attempt', {
      by: ['sequence_id', 'step_id', 'variant_id', 'result'],
      measures: {
        opened: '(opened_at is not null)::int',
        clicked: '(clicked_at is not null)::int',
        replied: '(replied_at is not null)::int',
        bounced: '(bounced_at is not null)::int',
      },
      counted: 'true',
    })}
    create index sequence_attempt_totals_sequence on outreach.sequence_attempt_totals (organization_id, sequence_id)
      where kind in ('CHANGE', 'GROUP');

    -- Mails of sequences that a sender has sent on a day of the sender's time zone: dailyLimitPerSender counts all sequences together. The row is
    -- raised in the transaction of the attempt.
    create table outreach.sequence_sender_day (
      organization_id uuid not null,
      sender_id uuid not null,
      day date not null,
      sent int not null,
      primary key (organization_id, sender_id, day)
    );
    create index sequence_sender_day_old on outreach.sequence_sender_day (day);

    -- What a change of a sequence means for its running enrollments, done in batches in the order of their entity_id: RESUME shifts clocks by the
    -- pause and wakes parked enrollments, END ends them because the sequence was deleted.
    create table outreach.sequence_work (
      organization_id uuid not null,
      sequence_id uuid not null,
      kind text not null,
      -- The entity_id up to which the enrollments are done.
      after_id uuid not null default '00000000-0000-0000-0000-000000000000',
      created_at timestamptz(3) not null default now(),
      primary key (organization_id, sequence_id, kind)
    );
    create index sequence_work_created on outreach.sequence_work (created_at);
  `,
}
