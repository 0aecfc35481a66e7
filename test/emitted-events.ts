import { PayloadSchema } from '../subgraphs/events/custom-event-type/payload-schema.ts'
import { customEventObject } from '../subgraphs/events/public.ts'
import type { Database } from '../subgraphs/kernel/database/database.ts'
import type { Sql } from '../subgraphs/kernel/database/sql.ts'
import { wholeData } from '../subgraphs/kernel/outbox/event-data.ts'
import { validateEvents } from './contract/validate-events.ts'

type Json = Readonly<Record<string, unknown>>

interface EmittedEvent {
  readonly organizationId: string
  readonly type: string
  readonly version: number
  readonly object: string
  readonly data: Json
}

const batch = 1000
const shownMax = 10

/** The validator knows no numbers without an exact double. */
const withDoubles = (data: Json): Json => JSON.parse(JSON.stringify(data)) as Json

/** Compares payloads with the stored schemas of custom event types. */
class CustomSchemas {
  readonly #schemas = new Map<string, PayloadSchema | null>()

  constructor(private readonly sql: Sql) {}

  async flawsOf({ organizationId, type, version, data }: EmittedEvent): Promise<string[]> {
    const key = `${organizationId} ${type}@${version}`
    if (!this.#schemas.has(key)) {
      const [row] = await this.sql.query<{ schema: Json }>(
        'select schema from events.custom_event_schema where organization_id = $1 and api_name = $2 and version = $3',
        [organizationId, type.replace('custom.', ''), version],
      )
      this.#schemas.set(key, row ? new PayloadSchema(row.schema) : null)
    }
    const schema = this.#schemas.get(key)
    if (!schema) return [`${type}@${version} has no schema`]
    return schema.problemsOf(data).map(({ path, code }) => `${type}@${version}: ${path} ${code}`)
  }
}

/**
 * Throws if an event in the database does not fit the schema of its type and version. Every database of a test is checked before it is
 * dropped, so the whole test suite emits only events that the catalog describes.
 */
export async function refuseInvalidEvents(database: Database): Promise<void> {
  const flaws = new Map<string, number>()
  await database.transaction(async (sql) => {
    const [table] = await sql.query(`select where to_regclass('kernel.event') is not null`)
    if (!table) return
    const custom = new CustomSchemas(sql)
    await sql.query(
      `declare emitted no scroll cursor for
       select organization_id as "organizationId", type, version, object, data from kernel.event`,
    )
    for (;;) {
      const events = await sql.query<EmittedEvent & Json>(`fetch ${batch} from emitted`)
      for (const event of events) {
        const found =
          event.object === customEventObject
            ? await custom.flawsOf(event)
            : validateEvents([{ ...event, data: withDoubles(wholeData(event.data)) }])
        for (const flaw of found) flaws.set(flaw, (flaws.get(flaw) ?? 0) + 1)
      }
      if (events.length < batch) return
    }
  })
  if (flaws.size === 0) return
  const shown = [...flaws].slice(0, shownMax).map(([flaw, count]) => `${flaw} (${count} times)`)
  throw new Error(`Events that were emitted do not fit the catalog:\n${shown.join('\n')}`)
}
