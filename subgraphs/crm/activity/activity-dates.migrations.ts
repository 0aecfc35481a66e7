import type { Migration } from '../../kernel/database/migrate.ts'
import {
  activityDateIndexes,
  noteActivityDates,
  refreshActivityDates,
  timelineIndexes,
} from '../related-record/activity-dates.ts'

/** Runs after the tables of tasks and of the records that have the dates. */
export const activityDates: Migration = {
  name: '20261123-crm-activity-dates',
  sql: `
    ${refreshActivityDates([
      { table: 'crm.account', link: 'account_id' },
      { table: 'crm.opportunity', link: 'opportunity_id' },
    ])}
    ${noteActivityDates('crm.activity', { columns: ['deleted_at', 'occurred_at', 'is_planned'], isDated: 'true' })}
    ${noteActivityDates('crm.task', {
      columns: ['deleted_at', 'completed_at', 'due_date', 'status'],
      isDated: 'completed_at is not null or due_date is not null',
    })}
    ${activityDateIndexes}
    ${timelineIndexes('crm.activity', 'occurred_at')}
    ${timelineIndexes('crm.task', '(coalesce(completed_at, created_at))')}
    create index activity_begin on crm.activity (occurred_at) where is_planned;
  `,
}

export const contactActivityDates: Migration = {
  name: '20261123-crm-contact-activity-dates',
  sql: refreshActivityDates([
    { table: 'crm.account', link: 'account_id' },
    { table: 'crm.contact', link: 'contact_id' },
    { table: 'crm.opportunity', link: 'opportunity_id' },
  ]),
}

export const leadActivityDates: Migration = {
  name: '20261123-crm-lead-activity-dates',
  sql: refreshActivityDates([
    { table: 'crm.account', link: 'account_id' },
    { table: 'crm.contact', link: 'contact_id' },
    { table: 'crm.lead', link: 'lead_id' },
    { table: 'crm.opportunity', link: 'opportunity_id' },
  ]),
}

/**
 * The lead first: a conversion locks the lead before it knows the other records, so whoever concerns a lead and another record at once
 * must lock the lead first too.
 */
export const leadFirstActivityDates: Migration = {
  name: '20261124-crm-lead-first-activity-dates',
  sql: refreshActivityDates([
    { table: 'crm.lead', link: 'lead_id' },
    { table: 'crm.account', link: 'account_id' },
    { table: 'crm.contact', link: 'contact_id' },
    { table: 'crm.opportunity', link: 'opportunity_id' },
  ]),
}
