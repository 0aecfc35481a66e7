export const apiNamePattern = /^[a-z][a-z0-9_]{1,62}$/
export const apiNameMax = 63
export const labelMax = 80
export const pagesMax = 500
export const assignmentsMax = 100
export const recordTypeMax = 255

/** Bytes of a definition as JSON. */
export const definitionBytesMax = 65_536
export const regionsMax = 6
export const regionColumns = 12
/** Components of a region, and of all regions together. */
export const componentsMax = 50
export const componentsOfPageMax = 100
/** Conditions of all components of a page together, and those with a pattern, each of which may take milliseconds. */
export const conditionsOfPageMax = 200
export const patternsOfPageMax = 10
export const fieldsMax = 100
export const listColumnsMax = 20
export const rowsMax = 50
export const rowsUsual = 10
export const textMax = 10_000
