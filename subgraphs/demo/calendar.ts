export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** The last midnight (UTC), to which all times of the demo are relative. */
export const midnightOf = (now: Date): number => Math.floor(now.getTime() / dayMs) * dayMs
