/** A file that is sent as JSON, in bytes; a larger one is sent to its own address. */
export const inlineBytesMax = 390_000
export const fileBytesMax = 20_971_520
export const documentsMax = 2_000
export const nameMax = 255
/** Of one document. */
export const passagesMax = 5_000
export const pagesMax = 2_000
export const passageWords = 250
export const passageCharacters = 2_500
/** What a parser may take. */
export const parseMsMax = 20_000
export const parseMemoryMb = 384
export const queryMax = 500
