/** How many rows of an index are at least compared with the conditions that it does not answer, before all matching rows are read. */
const windowRowsMin = 2_048
/** A window has so many rows for each record up to the end of the page. */
const windowRowsEach = 16
/** The last row of a page that is looked for in the window. */
export const windowPageMax = 500

/** Limits in the text of a statement are powers of two, which keeps the number of different statements small. */
export const powerOfTwoFrom = (count: number): number => 2 ** Math.ceil(Math.log2(count))

/** How many rows of an index are searched for a page. */
export const windowRows = ({ limit, offset = 0 }: { readonly limit: number; readonly offset?: number }): number =>
  Math.max(windowRowsMin, powerOfTwoFrom(windowRowsEach * (limit + offset)))
