import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaPath } from '../config/paths.ts'

type Json = Readonly<Record<string, unknown>>

/** One version of an event type of the platform. */
export interface CatalogEntry {
  /** `<type>@<version>`: `lead.created@1`. */
  readonly name: string
  readonly type: string
  readonly version: number
  /** The object of the event: `lead`. */
  readonly object: string
  readonly description: string
  /** JSON Schema (draft-07) of `data`. */
  readonly schema: Json
  /** A sample of `data`, valid by the schema. */
  readonly sample: Json
  /** Whether events of the type are emitted in this version. */
  readonly isCurrent: boolean
}

interface File {
  readonly type: string
  readonly version: number
  /** Path without `.json`. */
  readonly path: string
}

const fileName = /^(\w+)\.v([1-9]\d*)\.json$/

function filesIn(folder: string): File[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: object }) =>
      readdirSync(join(folder, object)).flatMap((file) => {
        const [, verb, version] = fileName.exec(file) ?? []
        if (verb === undefined) return []
        const path = join(folder, object, `${verb}.v${version}`)
        return [{ type: `${object}.${verb}`, version: Number(version), path }]
      }),
    )
}

const readJson = (path: string): Json => JSON.parse(readFileSync(path, 'utf8')) as Json

/**
 * The event types of the platform, from the files that `npm run schema` prints. A breaking change of a type is a new version, with files
 * of its own; the files of the versions before it are kept, because events and receivers of them remain. Events have the latest version.
 */
export class EventCatalog {
  /** In the order of the types, the latest version of a type first. */
  readonly entries: readonly CatalogEntry[]
  readonly #byName: ReadonlyMap<string, CatalogEntry>

  constructor(folder: string) {
    const files = filesIn(folder)
    const latest = new Map<string, number>()
    for (const { type, version } of files) latest.set(type, Math.max(version, latest.get(type) ?? 0))
    this.entries = files
      .map(({ type, version, path }) => {
        const schema = readJson(`${path}.json`)
        const { object } = schema['properties'] as { readonly object: { readonly const: string } }
        return {
          name: `${type}@${version}`,
          type,
          version,
          object: object.const,
          description: schema['description'] as string,
          schema,
          sample: readJson(`${path}.sample.json`),
          isCurrent: version === latest.get(type),
        }
      })
      .toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : b.version - a.version))
    this.#byName = new Map(
      this.entries.flatMap((entry) => [
        [entry.name, entry],
        ...(entry.isCurrent ? [[entry.type, entry] as const] : []),
      ]),
    )
  }

  /** The entry of a type, `lead.created`, or of one of its versions, `lead.created@1`; null when there is none. */
  find(name: string): CatalogEntry | null {
    return this.#byName.get(name) ?? null
  }
}

let catalog: EventCatalog | null = null

/** The catalog of this release, read with the first call. */
export const eventCatalog = (): EventCatalog => (catalog ??= new EventCatalog(schemaPath('events')))

/** The members of the GraphQL type `EventType`, for a type of the platform. */
export const platformEventType = ({
  name,
  type,
  version,
  isCurrent,
  object,
  description,
  schema,
  sample,
}: CatalogEntry) => ({
  name,
  type,
  version,
  isCurrent,
  object,
  isCustom: false,
  label: null,
  description,
  publishAccess: null,
  schema,
  sample,
})
