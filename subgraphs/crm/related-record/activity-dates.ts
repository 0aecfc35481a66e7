// SQL that migrations include. Never edit it, because a migration that has run must not change.

/** A table with the columns `last_activity_date` and `next_activity_date`, and the column of tasks and activities with its ids. */
export interface DatedTable {
  readonly table: string
  readonly link: string
}

const open = `status not in ('COMPLETED', 'CANCELLED')`

/** The dates of one row of `noted`. Each is the end of a range of an index, so that it costs the same with any number of entries. */
const dates = (link: string): string => {
  const of = (table: string) =>
    `from ${table} e where e.organization_id = n.organization_id and e.${link} = n.id and e.deleted_at is null`
  return `
      greatest(
        (select e.occurred_at ${of('crm.activity')} and not e.is_planned order by e.occurred_at desc limit 1),
        (select e.completed_at ${of('crm.task')} and e.completed_at is not null order by e.completed_at desc limit 1)) as last,
      least(
        (select e.occurred_at ${of('crm.activity')} and e.is_planned order by e.occurred_at limit 1),
        (select e.due_date ${of('crm.task')} and e.due_date is not null and e.${open} order by e.due_date limit 1)) as next`
}

const notedOf = (link: string): string => `
        select distinct split_part(entry, ':', 2)::uuid as organization_id, split_part(entry, ':', 3)::uuid as id
        from string_to_table(noted, ' ') as entry where entry like '${link}:%'`

/**
 * The rows are locked in the order of their ids before their dates are computed: the statement after the lock sees what concurrent
 * transactions have committed, and no two transactions wait for each other.
 */
const refresh = ({ table, link }: DatedTable): string => `
    perform from ${table} r join (${notedOf(link)}) n on r.organization_id = n.organization_id and r.id = n.id
      order by r.organization_id, r.id for no key update of r;
    update ${table} r set last_activity_date = d.last, next_activity_date = d.next
    from (select n.organization_id, n.id, ${dates(link)} from (${notedOf(link)}) n) d
    where r.organization_id = d.organization_id and r.id = d.id
      and (r.last_activity_date is distinct from d.last or r.next_activity_date is distinct from d.next);`

/** The function that sets the dates of all records that the transaction has noted. Called again for each row, it finds nothing to do. */
export const refreshActivityDates = (tables: readonly DatedTable[]): string => `
  create or replace function crm.refresh_activity_dates() returns trigger language plpgsql as $$
  declare noted text := nullif(current_setting('app.activity_dates', true), '');
  begin
    if noted is null then return null; end if;
    perform set_config('app.activity_dates', '', true);
    ${tables.map(refresh).join('\n')}
    return null;
  end $$;`

const links = ['account_id', 'contact_id', 'lead_id', 'opportunity_id']

const entriesOf = (rows: string): string => `
      select string_agg(distinct l.link || ':' || c.organization_id || ':' || l.id, ' ') from (${rows}) c
      cross join lateral (values ${links.map((link) => `('${link}', c.${link})`).join(', ')}) l(link, id) where l.id is not null`

/**
 * Notes which records a statement concerns, in a setting of the transaction, and has their dates set before the commit. So the dates and the
 * change exist together, whatever changes the rows, and a transaction with many changes locks the records once, in one order.
 */
export function noteActivityDates(
  table: string,
  { columns, isDated }: { columns: readonly string[]; isDated: string },
): string {
  const name = table.split('.')[1]!
  const all = ['organization_id', ...links].join(', ')
  const differs = [...links, ...columns].map((column) => `o.${column} is distinct from n.${column}`).join(' or ')
  const both = 'old_rows o join new_rows n on o.organization_id = n.organization_id and o.id = n.id'
  const sides = ['o', 'n'].map(
    (side) =>
      `select ${['organization_id', ...links].map((column) => `${side}.${column}`).join(', ')} from ${both} where ${differs}`,
  )
  return `
  create function crm.note_${name}_dates() returns trigger language plpgsql as $$
  declare entries text;
  begin
    if tg_op = 'INSERT' then
      entries := (${entriesOf(`select ${all} from new_rows where ${isDated}`)});
    elsif tg_op = 'DELETE' then
      entries := (${entriesOf(`select ${all} from old_rows where ${isDated}`)});
    else
      entries := (${entriesOf(sides.join(' union all '))});
    end if;
    if entries is not null then
      perform set_config('app.activity_dates', concat_ws(' ', nullif(current_setting('app.activity_dates', true), ''), entries), true);
    end if;
    return null;
  end $$;
  create trigger note_dates_insert after insert on ${table} referencing new table as new_rows
    for each statement execute function crm.note_${name}_dates();
  create trigger note_dates_update after update on ${table} referencing old table as old_rows new table as new_rows
    for each statement execute function crm.note_${name}_dates();
  create trigger note_dates_delete after delete on ${table} referencing old table as old_rows
    for each statement execute function crm.note_${name}_dates();
  create constraint trigger refresh_dates after insert or update or delete on ${table} deferrable initially deferred
    for each row execute function crm.refresh_activity_dates();`
}

/** The indexes that end in the dates of the records. */
export const activityDateIndexes: string = links
  .map(
    (link) => `
  create index activity_planned_${link} on crm.activity (organization_id, ${link}, occurred_at)
    where is_planned and deleted_at is null and ${link} is not null;
  create index task_completed_${link} on crm.task (organization_id, ${link}, completed_at)
    where completed_at is not null and deleted_at is null and ${link} is not null;
  create index task_due_${link} on crm.task (organization_id, ${link}, due_date)
    where due_date is not null and ${open} and deleted_at is null and ${link} is not null;`,
  )
  .join('')

/** The indexes of a timeline: the entries of one record, newest first. */
export const timelineIndexes = (table: string, at: string): string =>
  [...links, 'case_id']
    .map(
      (link) => `
  create index ${table.split('.')[1]!}_timeline_${link} on ${table} (organization_id, ${link}, ${at}, id)
    where deleted_at is null and ${link} is not null;`,
    )
    .join('')
