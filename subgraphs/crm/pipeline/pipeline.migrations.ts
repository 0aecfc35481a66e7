import type { Migration } from '../../kernel/database/migrate.ts'
import { listIndexes, recordColumns } from '../../kernel/record/record-table.ts'
import type { PipelineStage } from './pipeline.ts'

/** The stages of the default pipeline. Never edit them, because a migration that has run must not change. */
export const defaultStages = [
  ['PROSPECTING', 'Prospecting', 'OPEN', 10, 'PIPELINE', 30],
  ['QUALIFICATION', 'Qualification', 'OPEN', 20, 'PIPELINE', 21],
  ['NEEDS_ANALYSIS', 'Needs analysis', 'OPEN', 35, 'PIPELINE', 21],
  ['PROPOSAL', 'Proposal', 'OPEN', 55, 'BEST_CASE', 14],
  ['NEGOTIATION', 'Negotiation', 'OPEN', 80, 'COMMIT', 14],
  ['CLOSED_WON', 'Closed won', 'WON', 100, 'CLOSED', null],
  ['CLOSED_LOST', 'Closed lost', 'LOST', 0, 'OMITTED', null],
].map(([name, label, kind, probability, forecastCategory, rottenAfterDays]) => ({
  name,
  label,
  kind,
  probability,
  forecastCategory,
  rottenAfterDays,
  isActive: true,
})) as readonly PipelineStage[]

/** A UUIDv7, which PostgreSQL generates itself only from version 18 on. */
const uuidv7 = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send((extract(epoch from clock_timestamp()) * 1000)::int8) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`

const defaultPipeline = (organizationId: string): string => `
      insert into crm.pipeline (id, organization_id, name, is_default, stages, custom_fields, version, created_at, updated_at)
      select ${uuidv7}, ${organizationId}, 'Sales', true, '${JSON.stringify(defaultStages)}', '{}', 1, now(), now()`

/**
 * A trigger gives each organization its default pipeline, so that deals can be created without any setup. It runs with the rights of
 * its owner, because a request that creates an organization does not belong to it.
 */
export const pipelineTable: Migration = {
  name: '20261122-crm-pipeline',
  sql: `
    create table crm.pipeline (${recordColumns},
      name text not null,
      description text,
      is_default boolean not null default false,
      is_active boolean not null default true,
      stages jsonb not null default '[]'
    );
    ${listIndexes('crm.pipeline', 'pipeline', ['name'])}
    create unique index pipeline_name on crm.pipeline (organization_id, lower(name)) where deleted_at is null;
    create unique index pipeline_default on crm.pipeline (organization_id) where is_default;

    create function crm.add_default_pipeline() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
    begin${defaultPipeline('new.id')};
      return null;
    end $$;
    create trigger organization_default_pipeline after insert on identity.organization
      for each row execute function crm.add_default_pipeline();
    ${defaultPipeline('o.id')} from identity.organization o;
  `,
}
