// The bounds of a template. A template is hostile input: it must not take much time or memory, wherever it is parsed or rendered.

/** Maximum characters of the source of one part. */
export const sourceMax = 100_000
/** Maximum number of tags and outputs in one part. */
export const tokensMax = 1000
/** Maximum characters of the tags and outputs of one part together. Parsing them takes most of its time. */
export const tagsLengthMax = 50_000
/** Maximum characters of one tag or output. */
export const tokenLengthMax = 2000
/** Maximum number of blocks (`if`, `for`) inside one another. */
export const depthMax = 20
/** Maximum characters that the parts of one mail write while they are rendered. */
export const outputMax = 1_000_000
/** Maximum milliseconds in which one part is rendered. */
export const renderMsMax = 1000
/** Maximum size of the values that filters and ranges create, in characters and items. */
export const memoryMax = 5_000_000
/** Maximum number of missing or unknown variables that are listed. */
export const listedMax = 100
