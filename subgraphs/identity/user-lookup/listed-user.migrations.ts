import type { Migration } from '../../kernel/database/migrate.ts'

/**
 * The name, email address and picture of each user as the organization sees them, in one table, so that indexes that begin with the
 * organization answer the list and the search. Triggers copy them from the user and the person. When a user leaves, they are no longer
 * changed: the organization keeps the name of that time.
 */
export const userNameTable: Migration = {
  name: '20261122-identity-user-name',
  sql: `
    -- URL of a picture of the person.
    alter table identity.person add column avatar text;
    grant select (avatar) on identity.person to crm_app;

    create table identity.user_name (
      organization_id uuid not null,
      id uuid not null,
      person_id uuid not null,
      name text not null,
      email text not null,
      avatar text,
      is_active boolean not null,
      has_left boolean not null,
      created_at timestamptz(3) not null,
      search_text text not null generated always as
        (kernel.search_text(' ' || name || ' ' || case when has_left then '' else email end)) stored,
      primary key (organization_id, id)
    );
    create index user_name_person on identity.user_name (person_id);
    create index user_name_by_name on identity.user_name (organization_id, name, created_at, id);
    create index user_name_search on identity.user_name using gin (organization_id, search_text gin_trgm_ops);

    insert into identity.user_name (organization_id, id, person_id, name, email, avatar, is_active, has_left, created_at)
      select u.organization_id, u.id, u.person_id, coalesce(u.known_as ->> 'name', p.name), p.email, null, u.is_active,
        u.left_at is not null, u.created_at
      from identity.app_user u join identity.person p on p.id = u.person_id;

    -- With the rights of the owner, because a tenant cannot see a person who is not its user yet. After the statement, because the
    -- statement that adds a user may also insert the person.
    create function identity.copy_user_name() returns trigger language plpgsql security definer set search_path = pg_catalog as $$ begin
      if new.left_at is not null then
        update identity.user_name set is_active = new.is_active, has_left = true
          where organization_id = new.organization_id and id = new.id;
        return null;
      end if;
      -- A concurrent change of the person waits, and then sees a new user.
      if tg_op = 'INSERT' then
        perform from identity.person where id = new.person_id for share;
      end if;
      insert into identity.user_name (organization_id, id, person_id, name, email, avatar, is_active, has_left, created_at)
        select new.organization_id, new.id, new.person_id, coalesce(new.known_as ->> 'name', p.name), p.email,
          case when new.has_joined then p.avatar end, new.is_active, false, new.created_at
        from identity.person p where p.id = new.person_id
        on conflict (organization_id, id) do update
          set name = excluded.name, email = excluded.email, avatar = excluded.avatar, is_active = excluded.is_active, has_left = false;
      return null;
    end $$;
    create trigger app_user_inserted after insert on identity.app_user
      for each row execute function identity.copy_user_name();
    create trigger app_user_changed after update of known_as, has_joined, is_active, left_at on identity.app_user
      for each row when ((old.known_as, old.has_joined, old.is_active, old.left_at)
        is distinct from (new.known_as, new.has_joined, new.is_active, new.left_at))
      execute function identity.copy_user_name();

    create function identity.copy_person_name() returns trigger language plpgsql security definer set search_path = pg_catalog as $$ begin
      update identity.user_name n
        set name = coalesce(u.known_as ->> 'name', new.name), email = new.email, avatar = case when u.has_joined then new.avatar end
        from identity.app_user u
        where n.person_id = new.id and not n.has_left and u.organization_id = n.organization_id and u.id = n.id;
      return null;
    end $$;
    create trigger person_renamed after update of name, email, avatar on identity.person for each row
      when ((old.name, old.email, old.avatar) is distinct from (new.name, new.email, new.avatar))
      execute function identity.copy_person_name();

    -- Like the tenant views of records, so that the search can use its index.
    create view identity.listed_user as
      select organization_id, id, name, case when not has_left then email end as email,
        case when not has_left then avatar end as avatar, is_active and not has_left as active, created_at, search_text
      from identity.user_name where organization_id = kernel.current_organization();
    grant select on identity.listed_user to crm_app;
  `,
}
