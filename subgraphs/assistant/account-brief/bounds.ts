export const summaryMax = 1_500
export const pointsMax = 6
export const pointMax = 300
/** Stored briefs of one user. */
export const briefsMax = 1_000
export const keptDays = 90
