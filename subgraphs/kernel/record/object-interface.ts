/**
 * The interface of all records. A field of this type answers only records of types whose scope the caller holds, so selecting it
 * requires none of them.
 */
export const objectInterface = 'Node'
