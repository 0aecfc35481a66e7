import type { IncomingMessage, ServerResponse } from 'node:http'
import { PublishedFile } from '../gateway/edge/published-file.ts'
import { notFound } from '../subgraphs/kernel/errors.ts'
import { eventCatalog, type CatalogEntry } from '../subgraphs/kernel/outbox/event-catalog.ts'
import type { CustomCall, CustomHandler } from './serve.ts'

const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'public, max-age=300' }

/** The same members as `EventType` of the graph. */
const shownEntry = ({ name, type, version, isCurrent, object, description, schema, sample }: CatalogEntry): object => ({
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

function catalogFile(): PublishedFile {
  const { entries } = eventCatalog()
  const { length: total } = entries
  return new PublishedFile(
    JSON.stringify({ data: entries.map(shownEntry), total, page: 1, limit: total, totalPages: 1 }),
  )
}

/** The public catalog is hundreds of kilobytes that are the same for everyone, so it is written once and not read through the graph. */
export function eventCatalogHandlers(): ReadonlyMap<string, CustomHandler> {
  let list: PublishedFile | null = null
  const files = new Map<string, PublishedFile>()
  const send = (file: PublishedFile, req: IncomingMessage, res: ServerResponse): Promise<void> =>
    file.send(req, res, headers)
  return new Map<string, CustomHandler>([
    ['eventCatalog', ({ req, res }: CustomCall) => send((list ??= catalogFile()), req, res)],
    [
      'eventType',
      ({ req, res, path }: CustomCall) => {
        const entry = eventCatalog().find(String(path['type']))
        if (!entry) throw notFound('The event type')
        let file = files.get(entry.name)
        if (!file) files.set(entry.name, (file = new PublishedFile(JSON.stringify(shownEntry(entry)))))
        return send(file, req, res)
      },
    ],
  ])
}
