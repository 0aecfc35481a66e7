import type { Migration } from '../../kernel/database/migrate.ts'

/**
 * The name, email address and picture of each user as the organization sees them, as columns of the user, so that indexes of the
 * organization answer the list and the search. Triggers copy them from the person. When a user leaves, they are no longer changed:
 * the organization keeps the name of that time.
 */
export const userNameColumns: Migration = {
  name: '20261122-identity-user-names',
  sql: `
    -- URL of a picture of the person.
    alter table identity.person add column avatar text;
    grant select (avatar) on identity.person to crm_app;

    alter table identity.app_user
      add column name text,
      add column email text,
      add column avatar text;
    update identity.app_user u
      set name = coalesce(u.known_as ->> 'name', p.name), email = p.email
      from identity.person p where p.id = u.person_id;
    alter table identity.app_user
      alter column name set not null,
      alter column email set not null,
      add column search_text text not null generated always as
        (kernel.search_text(' ' || name || ' ' || case when left_at is null then email else '' end)) stored;
    create index app_user_by_name on identity.app_user (organization_id, name, created_at, id);
    create index app_user_search on identity.app_user using gin (organization_id, search_text gin_trgm_ops);

    -- With the rights of its owner, because the tenant cannot see a person who is not its user yet.
    create function identity.copy_person_to_user() returns trigger language plpgsql security definer set search_path = pg_catalog as $$ begin
      select coalesce(new.known_as ->> 'name', p.name), p.email, case when new.has_joined then p.avatar end
        into new.name, new.email, new.avatar from identity.person p where p.id = new.person_id;
      return new;
    end $$;
    create trigger app_user_inserted before insert on identity.app_user
      for each row execute function identity.copy_person_to_user();
    create trigger app_user_renamed before update of known_as, has_joined, left_at on identity.app_user
      for each row when (new.left_at is null) execute function identity.copy_person_to_user();

    create function identity.copy_person_to_users() returns trigger language plpgsql security definer set search_path = pg_catalog as $$ begin
      update identity.app_user u
        set name = coalesce(u.known_as ->> 'name', new.name), email = new.email, avatar = case when u.has_joined then new.avatar end
        where u.person_id = new.id and u.left_at is null;
      return null;
    end $$;
    create trigger person_renamed after update of name, email, avatar on identity.person for each row
      when (old.name <> new.name or old.email <> new.email or old.avatar is distinct from new.avatar)
      execute function identity.copy_person_to_users();

    -- Like the tenant views of records, so that the search can use its index. It contains the users who left, without their address.
    create view identity.listed_user as
      select organization_id, id, name, case when left_at is null then email end as email,
        case when left_at is null then avatar end as avatar, is_active and left_at is null as active, created_at, search_text
      from identity.app_user where organization_id = kernel.current_organization();
    grant select on identity.listed_user to crm_app;
  `,
}
