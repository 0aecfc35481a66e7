import type { Migration } from '../database/migrate.ts'
import { lockOf } from '../database/locks.ts'

/** SQLSTATE of a write that was decided with definitions that are not the latest. */
export const definitionsChangedState = 'CRM01'
export const definitionsChannel = 'definitions'

const lock = lockOf('definitions', 'organization::text')

/**
 * A write holds the lock of its organization shared until it commits, and a publication holds it exclusively. So when a publication has
 * committed, every write that commits later was compared with it. The comparison is a statement of a volatile function, which sees what
 * was committed while it waited for the lock.
 */
export const definitionVersion: Migration = {
  name: '20261128-kernel-definition-version',
  sql: `
    create table kernel.definition_version (
      organization_id uuid primary key,
      version bigint not null
    );

    create function kernel.require_definitions(organization uuid, known bigint) returns boolean
    language plpgsql volatile security definer as $$
    declare latest bigint;
    begin
      perform pg_advisory_xact_lock_shared(${lock});
      select v.version into latest from kernel.definition_version v where v.organization_id = organization;
      if coalesce(latest, 0) <> known then
        raise exception 'the definitions of the organization have changed' using errcode = '${definitionsChangedState}';
      end if;
      return true;
    end $$;

    create function kernel.publish_definitions(organization uuid) returns bigint
    language plpgsql volatile as $$
    declare latest bigint;
    begin
      perform pg_advisory_xact_lock(${lock});
      insert into kernel.definition_version as v (organization_id, version) values (organization, 1)
        on conflict (organization_id) do update set version = v.version + 1 returning v.version into latest;
      perform pg_notify('${definitionsChannel}', organization::text);
      return latest;
    end $$;
  `,
}
