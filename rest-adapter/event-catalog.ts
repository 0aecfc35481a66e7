import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { PublishedFile } from '../gateway/edge/published-file.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import { notFound } from '../subgraphs/kernel/errors.ts'
import { eventCatalog, platformEventType } from '../subgraphs/kernel/outbox/event-catalog.ts'
import type { GraphPort } from './ports.ts'
import type { CustomCall, CustomHandler } from './custom-handler.ts'

const mediaType = { 'Content-Type': 'application/json; charset=utf-8' }
const forEverybody = { ...mediaType, 'Cache-Control': 'public, max-age=300' }
const forOrganization = { ...mediaType, 'Cache-Control': 'private, no-cache' }

/** The catalogs of organizations that are kept, with about 1 MB each. Organizations without custom event types share one. */
const organizationFilesMax = 8

const customTypes = `query organizationCustomEventTypes {
  result: organizationEventCatalog(isCustom: true) {
    data { name type version isCurrent object isCustom label description publishAccess schema sample }
  }
}`

/** The catalogs as prepared texts: the types of the platform are hundreds of kilobytes, which are written as JSON once. */
class CatalogFiles {
  readonly #platform: readonly string[] = eventCatalog().entries.map((entry) =>
    JSON.stringify(platformEventType(entry)),
  )
  readonly #joined = this.#platform.join()
  readonly #entries = new Map<string, PublishedFile>()
  readonly #organizations = new LRUCache<string, PublishedFile>({ max: organizationFilesMax })
  readonly all = this.#listOf([])

  #listOf(custom: readonly string[]): PublishedFile {
    const total = this.#platform.length + custom.length
    const data = [this.#joined, ...custom].join()
    return new PublishedFile(`{"data":[${data}],"total":${total},"page":1,"limit":${total},"totalPages":1}`)
  }

  ofOrganization(types: readonly object[]): PublishedFile {
    if (types.length === 0) return this.all
    const custom = types.map((type) => JSON.stringify(type))
    const key = custom.join()
    let file = this.#organizations.get(key)
    if (!file) this.#organizations.set(key, (file = this.#listOf(custom)))
    return file
  }

  entry(name: string): PublishedFile {
    const entry = eventCatalog().find(name)
    if (!entry) throw notFound('The event type')
    let file = this.#entries.get(entry.name)
    if (!file) this.#entries.set(entry.name, (file = new PublishedFile(JSON.stringify(platformEventType(entry)))))
    return file
  }
}

/** The catalogs with an `ETag`. The graph is asked only for the custom event types of an organization. */
export function eventCatalogHandlers(
  graph: Pick<GraphPort, 'prepare' | 'execute'>,
): ReadonlyMap<string, CustomHandler> {
  let made: CatalogFiles | null = null
  const files = (): CatalogFiles => (made ??= new CatalogFiles())
  let prepared: PreparedOperation | null = null
  const send = (file: PublishedFile, req: IncomingMessage, res: ServerResponse, headers: typeof forEverybody) =>
    file.send(req, res, headers)
  return new Map<string, CustomHandler>([
    ['eventCatalog', ({ req, res }: CustomCall) => send(files().all, req, res, forEverybody)],
    [
      'eventType',
      ({ req, res, path }: CustomCall) => send(files().entry(String(path['type'])), req, res, forEverybody),
    ],
    [
      'organizationEventCatalog',
      async ({ req, res, context }: CustomCall) => {
        prepared ??= graph.prepare(customTypes)
        const { data, errors } = await graph.execute(prepared, {}, context)
        if (errors?.[0]) throw errors[0]
        const { data: types } = data!['result'] as { readonly data: readonly object[] }
        await send(files().ofOrganization(types), req, res, forOrganization)
      },
    ],
  ])
}
