import type { Random } from './random.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** The last midnight (UTC), to which all times of the demo are relative. */
export const midnightOf = (now: Date): number => Math.floor(now.getTime() / dayMs) * dayMs

const isWeekend = (atMs: number): boolean => [0, 6].includes(new Date(atMs).getUTCDay())

/** A minute between 7:00 and 16:59 (UTC) of the day; of the Friday before for a day of a weekend. */
export function workTime(random: Random, onDayMs: number): number {
  let startMs = Math.floor(onDayMs / dayMs) * dayMs
  while (isWeekend(startMs)) startMs -= dayMs
  return startMs + random.whole(7 * 60, 17 * 60 - 1) * minuteMs
}

/** A time between the two, at work if there is room for that. */
export function timeBetween(random: Random, fromMs: number, toMs: number): number {
  const atMs = fromMs + Math.floor(((toMs - fromMs) * random.next()) / 1000) * 1000
  const atWorkMs = workTime(random, atMs)
  return atWorkMs > fromMs && atWorkMs < toMs ? atWorkMs : atMs
}
