// The limits of hooks, by the numbers of the specification and of the README of this folder.

export const hooksMax = 10
export const urlMax = 2_000
export const timeoutBounds = { minimum: 250, maximum: 5_000 } as const
export const timeoutDefault = 3_000
export const positionMax = 1_000
/** Records of one call. */
export const recordsMax = { url: 100, function: 500 } as const
/** Of the body of one call, unless one record alone is longer. Functions take no longer input. */
export const callCharactersMax = { url: 1_000_000, function: 250_000 } as const
export const answerBytesMax = 1_048_576
export const answerDepthMax = 64
export const messageMax = 1_000
/** Calls of one hook at the same time, for the parts of one bulk change. */
export const partsAtOnce = 4
/** After so many failures in a row, a hook is not called for a while. */
export const failuresMax = 5
export const pauseMs = 30_000
