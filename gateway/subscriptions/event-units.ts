import type { LoggedEvent } from '../../subgraphs/kernel/outbox/event-feed.ts'

/** What an event takes besides its data. */
const envelopeUnits = 300

/** The size of an event in memory: about one unit for each character of its JSON. */
export const unitsOfEvent = ({ data }: LoggedEvent): number => envelopeUnits + unitsOf(data)

function unitsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let units = 8
  for (const key in value) units += key.length + 4 + unitsOf((value as Record<string, unknown>)[key])
  return units
}
