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

/** The path of `case.created` is `events/case/created`. */
const pathOf = (type: string): string => `events/${type.replace('.', '/')}.v1`

const printed = async (value: Json): Promise<string> =>
  format(JSON.stringify(value), { ...(await resolveConfig(import.meta.filename)), parser: 'json' })

/** Schema and sample of every event type, by path below `schema/`. */
export async function printedEvents(): Promise<[path: string, text: string][]> {
  const files = eventFiles.flatMap(({ type, schema, sample }): [string, Json][] => [
    [`${pathOf(type)}.json`, schema],
    [`${pathOf(type)}.sample.json`, sample],
  ])
  return Promise.all(files.map(async ([path, value]): Promise<[string, string]> => [path, await printed(value)]))
}
