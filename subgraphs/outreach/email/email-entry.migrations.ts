import type { Migration } from '../../kernel/database/migrate.ts'

const links = ['account_id', 'contact_id', 'lead_id', 'opportunity_id', 'case_id']

const entriesOf = (messages: string): string => `
    insert into outreach.email_entry (organization_id, message_id, thread_id, happened_at, ${links.join(', ')})
    select m.organization_id, m.id, m.thread_id, coalesce(m.sent_at, m.created_at), ${links.map((link) => `t.${link}`).join(', ')}
    from ${messages} m join outreach.email_thread t on t.organization_id = m.organization_id and t.id = m.thread_id`

/** The mails of all threads that concern a record, by time, for its timeline. */
export const emailEntryTable: Migration = {
  name: '20261207-outreach-email-entry',
  sql: `
    create table outreach.email_entry (
      organization_id uuid not null,
      message_id uuid not null,
      thread_id uuid not null,
      happened_at timestamptz(3) not null,
      ${links.map((link) => `${link} uuid,`).join('\n      ')}
      primary key (organization_id, message_id)
    );
    create function outreach.add_email_entries() returns trigger language plpgsql as $$ begin
      -- The links of a thread wait for the mails that are added, and these for the links. The order avoids deadlocks.
      perform 1 from outreach.email_thread t
      where (t.organization_id, t.id) in (select m.organization_id, m.thread_id from new_messages m)
      order by t.id for no key update;
      ${entriesOf('new_messages')};
      return null;
    end $$;
    create function outreach.keep_email_entries() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then
        delete from outreach.email_entry where organization_id = old.organization_id and message_id = old.id;
      else
        update outreach.email_entry set happened_at = coalesce(new.sent_at, new.created_at)
        where organization_id = new.organization_id and message_id = new.id;
      end if;
      return null;
    end $$;
    create function outreach.link_email_entries() returns trigger language plpgsql as $$ begin
      update outreach.email_entry set ${links.map((link) => `${link} = new.${link}`).join(', ')}
      where organization_id = new.organization_id and thread_id = new.id;
      return null;
    end $$;
    create trigger email_entries_insert after insert on outreach.email_message referencing new table as new_messages
      for each statement execute function outreach.add_email_entries();
    create trigger email_entries_update after update on outreach.email_message for each row
      when (old.sent_at is distinct from new.sent_at) execute function outreach.keep_email_entries();
    create trigger email_entries_delete after delete on outreach.email_message for each row
      execute function outreach.keep_email_entries();
    create trigger email_entries_link after update on outreach.email_thread for each row
      when (${links.map((link) => `old.${link} is distinct from new.${link}`).join(' or ')})
      execute function outreach.link_email_entries();
    -- The triggers hold the locks that keep writers out, so no mail is missed.
    ${entriesOf('outreach.email_message')};
    create index email_entry_thread on outreach.email_entry (organization_id, thread_id);
    ${links
      .map(
        (link) => `
    create index email_entry_${link} on outreach.email_entry (organization_id, ${link}, happened_at, message_id)
      where ${link} is not null;`,
      )
      .join('')}
  `,
}
