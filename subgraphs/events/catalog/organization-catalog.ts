import { eventCatalog, platformEventType } from '../../kernel/outbox/event-catalog.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { PublishAccess } from '../custom-event-type/custom-event-type.ts'
import { publishedSchema, samplePayload } from '../custom-event-type/payload-schema.ts'
import { customObjectTypeNamed } from './custom-object-types.ts'
import type { EventType } from './event-type.ts'

interface StoredSchema {
  readonly apiName: string
  readonly version: number
  readonly isCurrent: boolean
  readonly label: string
  readonly description: string | null
  readonly schema: Readonly<Record<string, unknown>>
  readonly publishAccess: PublishAccess | null
}

/** The event types of the platform; the list is made once. */
let platform: readonly EventType[] | null = null
export const platformTypes = (): readonly EventType[] => (platform ??= eventCatalog().entries.map(platformEventType))

function customType({
  apiName,
  version,
  isCurrent,
  label,
  description,
  schema,
  publishAccess,
}: StoredSchema): EventType {
  const type = `custom.${apiName}`
  const text = description ?? label
  return {
    name: `${type}@${version}`,
    type,
    version,
    isCurrent,
    object: null,
    isCustom: true,
    label,
    description: text,
    publishAccess,
    schema: publishedSchema(apiName, text, schema),
    sample: samplePayload(schema),
  }
}

/** The current versions of the custom event types of the caller's organization. */
export async function customTypes({ db, caller }: RequestContext): Promise<EventType[]> {
  const rows = await db.query<StoredSchema>(
    `select api_name as "apiName", schema_version as version, true as "isCurrent", label, description, schema, publish_access as "publishAccess"
     from events.custom_event_type where organization_id = $1 and deleted_at is null order by api_name`,
    [caller.organizationId],
    'LIST',
  )
  return rows.map(customType)
}

const customName = /^custom\.([a-z][a-z0-9_]{1,47})(?:@([1-9]\d{0,3}))?$/

/** A custom event type by its name, or one of its versions; null when there is none. A deleted type has only versions. */
async function customTypeNamed({ db, caller }: RequestContext, name: string): Promise<EventType | null> {
  const match = customName.exec(name)
  if (!match) return null
  const version = match[2] === undefined ? null : Number(match[2])
  const [row] = await db.query<StoredSchema>(
    `select s.api_name as "apiName", s.version, t.id is not null and t.schema_version = s.version as "isCurrent",
       coalesce(t.label, s.label) as label, case when t.id is null then s.description else t.description end as description, s.schema,
       t.publish_access as "publishAccess"
     from events.custom_event_schema s
     left join events.custom_event_type t
       on t.organization_id = s.organization_id and t.api_name = s.api_name and t.deleted_at is null
     where s.organization_id = $1 and s.api_name = $2 and s.version = coalesce($3, t.schema_version)`,
    [caller.organizationId, match[1], version],
  )
  return row ? customType(row) : null
}

/** An event type of the platform or of the caller's organization: `lead.created`, `lead.created@1`, `custom.machine_stopped`. */
export async function eventTypeNamed(ctx: RequestContext, name: string): Promise<EventType | null> {
  const entry = eventCatalog().find(name)
  return entry ? platformEventType(entry) : (customObjectTypeNamed(ctx, name) ?? customTypeNamed(ctx, name))
}
