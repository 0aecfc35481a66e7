import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaPath } from '../../kernel/config/paths.ts'

/** The sample of an event type at one version. */
export interface SampleEvent {
  readonly version: number
  readonly data: Readonly<Record<string, unknown>>
}

const suffix = /^(.+)\.v(\d+)\.sample\.json$/

function read(): Map<string, SampleEvent> {
  const folder = schemaPath('events')
  const samples = new Map<string, SampleEvent>()
  for (const object of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, object))) {
      const [, name, version] = suffix.exec(file) ?? []
      if (!name || Number(version) < (samples.get(`${object}.${name}`)?.version ?? 0)) continue
      const data = JSON.parse(readFileSync(join(folder, object, file), 'utf8')) as SampleEvent['data']
      samples.set(`${object}.${name}`, { version: Number(version), data })
    }
  }
  return samples
}

let samples: ReadonlyMap<string, SampleEvent> | null = null

/** The samples of the event types of the platform, each at its latest version. */
export const builtInSamples = (): ReadonlyMap<string, SampleEvent> => (samples ??= read())
