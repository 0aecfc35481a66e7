/** Live streams of one organization over all processes. */
export const listenersMax = 5
/** Types and wildcards of one stream. */
export const listenTypesMax = 64
/** A type, such as `custom.` and an API name. */
export const listenTypeLengthMax = 200
