import { LRUCache } from 'lru-cache'

const dayMs = 86_400_000
/** Five days: no time zone since 1970 has left an offset and returned to it within that time. */
const probeMs = 5 * dayMs
/** Offsets are cached in pieces of this length (365 days), so that all requests for the same years share them. */
const pieceMs = 73 * probeMs

/** From `at` on, local time is `offsetMs` ahead of UTC. */
interface Offset {
  readonly at: number
  readonly offsetMs: number
}

/** A period in which the UTC offset of a time zone is constant. */
export interface OffsetPeriod {
  readonly from: number
  readonly until: number
  readonly offsetMs: number
}

/** Each formatter takes some tens of kilobytes. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 })
/** By time zone and piece number; each entry holds a few offsets. */
const pieces = new LRUCache<string, readonly Offset[]>({ max: 5000 })

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formatters.set(zone, formatter)
  }
  return formatter
}

/** `1/1/1970, GMT+05:45`; with seconds for old dates, `1/1/1800, GMT-00:53:28`; UTC itself may be `GMT`. */
const writtenOffset = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

function offsetAt(zone: string, moment: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = writtenOffset.exec(formatterOf(zone).format(moment)) ?? []
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}

/** The first moment after `before` at which the offset differs from `offsetMs`. The offset at `after` must differ. */
function changeBetween(zone: string, before: number, after: number, offsetMs: number): number {
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === offsetMs) low = middle
    else high = middle
  }
  return high
}

function offsetsOf(zone: string, piece: number): readonly Offset[] {
  const key = `${zone.toLowerCase()} ${piece}`
  const known = pieces.get(key)
  if (known) return known
  const start = piece * pieceMs
  const found: Offset[] = [{ at: start, offsetMs: offsetAt(zone, start) }]
  for (let probe = start + probeMs; probe <= start + pieceMs; probe += probeMs) {
    for (let last = found.at(-1)!; offsetAt(zone, probe) !== last.offsetMs; last = found.at(-1)!) {
      const at = changeBetween(zone, Math.max(last.at, probe - probeMs), probe, last.offsetMs)
      found.push({ at, offsetMs: offsetAt(zone, at) })
    }
  }
  pieces.set(key, found)
  return found
}

/** Splits the time from `from` to `until`, in order, at each change of the zone's UTC offset. */
export function* offsetPeriods(zone: string, from: number, until: number): Generator<OffsetPeriod> {
  for (let piece = Math.floor(from / pieceMs); piece * pieceMs < until; piece++) {
    const offsets = offsetsOf(zone, piece)
    for (const [index, { at, offsetMs }] of offsets.entries()) {
      const begin = Math.max(at, from)
      const end = Math.min(offsets[index + 1]?.at ?? (piece + 1) * pieceMs, until)
      if (begin < end) yield { from: begin, until: end, offsetMs }
    }
  }
}
