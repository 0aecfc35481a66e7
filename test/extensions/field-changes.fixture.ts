import { fieldChangeQueue } from '../../subgraphs/extensions/field-change/field-change.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'

/** Carries out all changes of custom fields that are under way. */
export async function settleFieldChanges(platform: Platform): Promise<void> {
  const open = () => platform.query(`select from extensions.field_change where state = 'QUEUED' limit 1`)
  while ((await open()).length > 0) await drain(fieldChangeQueue, platform.services)
}

/** Copies an account `count` times; the copies have names `<prefix>1` and so on, and no events. */
export async function copiesOf(
  platform: Platform,
  { organizationId }: Member,
  id: string,
  count: number,
  prefix = 'n',
) {
  const columns = await platform.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'crm.account'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )
  const names = columns.map(({ name }) => name).join(', ')
  await platform.query(
    `insert into crm.account (${names}) select ${names} from (
       select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'name', $4::text || n))).*
       from crm.account a, generate_series(1, $3::int) n where a.organization_id = $1 and a.id = $2) copy`,
    [organizationId, id, count, prefix],
  )
}
