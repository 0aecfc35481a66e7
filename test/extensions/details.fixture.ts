import { detailChangeQueue } from '../../subgraphs/extensions/lookup/detail-change.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'
import { object } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

/** Deletes and restores all details that follow their masters in the background. */
export async function settleDetails(platform: Platform): Promise<void> {
  const open = () => platform.query(`select from extensions.detail_change where state = 'QUEUED' limit 1`)
  while ((await open()).length > 0) await drain(detailChangeQueue, platform.services)
}

export const subject = { name: 'subject', label: 'Subject', fieldType: 'TEXT' }
export const master = (name: string, to: object, more: object = {}) => ({
  name,
  label: name,
  fieldType: 'MASTER_DETAIL',
  ...to,
  ...more,
})
export const ofAccount = { lookupEntity: 'ACCOUNT' }
export const ofVisit = { lookupObject: 'custom:site_visit' }

/** Visits are details of accounts, and findings of visits. */
export async function visitsAndFindings(platform: Platform, by: Member, more: object = {}): Promise<void> {
  await object(by, {
    fields: [subject, { name: 'hours', label: 'Hours', fieldType: 'NUMBER' }, master('account', ofAccount, more)],
  })
  await object(by, { name: 'finding', fields: [subject, master('visit', ofVisit)] })
  await settleFieldChanges(platform)
}

/** Copies a record of a custom object `count` times, with the rows of the index of values of these fields. The copies have no events. */
export async function detailCopies(platform: Platform, id: string, count: number, field: string): Promise<void> {
  await platform.query(
    `with original as (select * from extensions.custom_record where id = $1),
       copies as (
         insert into extensions.custom_record (id, organization_id, owner_id, custom_fields, version, created_at, updated_at, object, name)
         select gen_random_uuid(), o.organization_id, o.owner_id, o.custom_fields, 1, o.created_at, o.updated_at, o.object, 'copy ' || n
         from original o, generate_series(1, $2::int) n returning *)
     insert into kernel.record_value (organization_id, object, field, record_id, created_at, kind, id_value)
     select c.organization_id, 'custom:' || c.object, $3, c.id, c.created_at, 'id', (c.custom_fields ->> $3)::uuid from copies c`,
    [id, count, field],
  )
}
