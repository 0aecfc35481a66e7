export const conversationsMax = 1_000
export const messagesMax = 500
export const contentMax = 4_000
export const titleMax = 200
/** Messages of the conversation that a model gets with a new one. */
export const historyMax = 20
/** An answer, with all that the client gets of it, ends within this time. */
export const answerMs = 60_000
/** Longer than an answer may take, so that the answer of a living process is never taken for that of a killed one. */
export const leaseMs = 90_000
/** Characters of an answer that are stored and sent. */
export const answerMax = 16_000
/** Records that an answer cites. */
export const citationsMax = 50
