export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** The midnight (UTC) that the demo is counted back from: on one day it is the same everywhere. */
export const midnightOf = (now: Date): number => Math.floor(now.getTime() / dayMs) * dayMs
