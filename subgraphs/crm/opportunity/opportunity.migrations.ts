import type { Migration } from '../../kernel/database/migrate.ts'
import {
  columnIndexes,
  dayIndexes,
  listIndexes,
  maintainedTotals,
  recordColumns,
  searchIndex,
} from '../../kernel/record/record-table.ts'

export const opportunityTable: Migration = {
  name: '20261122-crm-opportunity',
  sql: `
    create table crm.opportunity (${recordColumns},
      name text not null,
      account_id uuid not null,
      amount numeric not null,
      currency text not null,
      pipeline_id uuid not null,
      stage text not null,
      probability numeric not null,
      probability_overridden boolean not null default false,
      expected_revenue numeric not null,
      base_amount numeric,
      exchange_rate numeric,
      forecast_category text not null,
      forecast_category_overridden boolean not null default false,
      forecast_reason text,
      close_date timestamptz(3) not null,
      original_close_date timestamptz(3) not null,
      close_date_push_count integer not null,
      type text,
      primary_contact_id uuid,
      next_step text,
      description text,
      competitors text[] not null default '{}',
      loss_reason text,
      loss_notes text,
      is_closed boolean not null default false,
      is_won boolean not null default false,
      closed_at timestamptz(3),
      stage_entered_at timestamptz(3) not null,
      health_score double precision,
      last_activity_date timestamptz(3),
      next_activity_date timestamptz(3)
    );
    ${searchIndex('crm.opportunity', 'opportunity', ['name', 'next_step', 'description'])}
    ${listIndexes('crm.opportunity', 'opportunity', [
      'name',
      'account_id',
      'amount',
      'currency',
      'pipeline_id',
      'stage',
      'probability',
      'expected_revenue',
      'forecast_category',
      'close_date',
      'close_date_push_count',
      'type',
      'primary_contact_id',
      'loss_reason',
      'is_closed',
      'is_won',
      'closed_at',
      'stage_entered_at',
      'health_score',
      'last_activity_date',
      'next_activity_date',
    ])}
    -- The columns of the deal board.
    create index opportunity_board on crm.opportunity (organization_id, pipeline_id, stage, created_at, id) where deleted_at is null;
    ${maintainedTotals('crm.opportunity', {
      by: ['pipeline_id', 'stage', 'currency', 'forecast_category', 'type', 'is_closed', 'is_won'],
      measures: { amount: 'amount', expected_revenue: 'expected_revenue', base_amount: 'base_amount' },
    })}
  `,
}

export const opportunityDetails: Migration = {
  name: '20261122-crm-opportunity-details',
  sql: `
    alter table crm.opportunity
      add column lead_source text,
      add column contact_roles jsonb not null default '[]',
      add column contact_ids text[] not null default '{}',
      add column stage_history jsonb not null default '[]',
      add column line_items jsonb not null default '[]';
    ${columnIndexes('crm.opportunity', 'opportunity', ['lead_source'])}
    create index opportunity_contacts on crm.opportunity using gin (organization_id, contact_ids) where deleted_at is null;
  `,
}

const entriesOf = (opportunities: string): string => `
    insert into crm.stage_entry (organization_id, opportunity_id, position, account_id, entered_at, stage, changed_by_id)
    select o.organization_id, o.id, e.position, o.account_id, (e.item ->> 'enteredAt')::timestamptz, e.item ->> 'stage',
      (e.item ->> 'changedById')::uuid
    from ${opportunities} o, jsonb_array_elements(o.stage_history) with ordinality as e(item, position)`

/**
 * The stage changes of all opportunities of an account, by time, for its timeline. A trigger copies them from \`stage_history\`, so that they
 * are the same whatever changes an opportunity.
 */
export const stageEntries: Migration = {
  name: '20261124-crm-stage-entries',
  sql: `
    create table crm.stage_entry (
      organization_id uuid not null,
      opportunity_id uuid not null,
      position integer not null,
      account_id uuid,
      entered_at timestamptz(3) not null,
      stage text not null,
      changed_by_id uuid,
      primary key (organization_id, opportunity_id, position)
    );
    ${entriesOf('crm.opportunity')};
    create index stage_entry_account on crm.stage_entry (organization_id, account_id, entered_at, opportunity_id);

    create function crm.keep_stage_entries() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then
        delete from crm.stage_entry where organization_id = old.organization_id and opportunity_id = old.id;
      end if;
      if tg_op <> 'DELETE' then ${entriesOf('(select new.*)')}; end if;
      return null;
    end $$;
    create trigger stage_entries_insert after insert or delete on crm.opportunity
      for each row execute function crm.keep_stage_entries();
    create trigger stage_entries_update after update on crm.opportunity for each row
      when (old.stage_history is distinct from new.stage_history or old.account_id is distinct from new.account_id)
      execute function crm.keep_stage_entries();
  `,
}

export const opportunityDays: Migration = {
  name: '20261125-crm-opportunity-days',
  sql: dayIndexes('crm.opportunity', 'opportunity', ['close_date']),
}

/** The timeline of an account also tells apart stages that were entered at the same time. */
export const stageEntryOrder: Migration = {
  name: '20261207-crm-stage-entry-order',
  sql: `
    create index stage_entry_timeline on crm.stage_entry (organization_id, account_id, entered_at, opportunity_id, position);
    drop index crm.stage_entry_account;
  `,
}
