// The limits of triggers, by the numbers of the specification and of the README of this folder.

export const triggersMax = 20
export const timeoutBounds = { minimum: 250, maximum: 10_000 } as const
export const timeoutDefault = 5_000
export const positionMax = 1_000
/** After so long, the triggers of a change wait for their next turn. */
export const turnMs = 10_000
/** After 10 s, 1, 5, 30 and 120 minutes. */
export const retriesMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000] as const
