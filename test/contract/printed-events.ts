import { format, resolveConfig } from 'prettier'
import { subgraphs } from '../../subgraphs/all.ts'
import type { EventFile, Json } from './event-file.ts'
import { eventFilesOf } from './record-event-files.ts'

/** Every declared event type with its schema and sample. */
export const eventFiles: readonly EventFile[] = subgraphs
  .flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
  )
  .flatMap(eventFilesOf)

/** The path of version 1 of `case.created` is `events/case/created.v1`. */
const pathOf = ({ type, version }: Pick<EventFile, 'type' | 'version'>): string =>
  `events/${type.replace('.', '/')}.v${version}`

const printed = async (value: Json): Promise<string> =>
  format(JSON.stringify(value), { ...(await resolveConfig(import.meta.filename)), parser: 'json' })

/** Schema and sample of every event type, by path below `schema/`. */
export async function printedEvents(): Promise<[path: string, text: string][]> {
  const files = eventFiles.flatMap((file): [string, Json][] => [
    [`${pathOf(file)}.json`, file.schema],
    [`${pathOf(file)}.sample.json`, file.sample],
  ])
  return Promise.all(files.map(async ([path, value]): Promise<[string, string]> => [path, await printed(value)]))
}

/** The files of the former versions of declared types, which are kept as they were printed. */
export const formerEventFiles: readonly string[] = eventFiles.flatMap(({ type, version: current }) =>
  Array.from({ length: current - 1 }, (_, index) => pathOf({ type, version: index + 1 })).flatMap((path) => [
    `${path}.json`,
    `${path}.sample.json`,
  ]),
)
