/** The totals of the children of each parent, without the open differences. */
export const rollupTable = 'kernel.rollup'
/** Differences of these totals that writes have added and that are not merged yet. */
export const rollupDeltaTable = 'kernel.rollup_delta'
/** The values of the children of each parent, of rollups whose value is the least or the greatest of them. */
export const rollupValueTable = 'kernel.rollup_value'
