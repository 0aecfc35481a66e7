// The limits of archives and deployments, by the numbers of the README of `extensions`.

const mib = 1_048_576

/** Of an archive, and of the texts of files that are sent without one. */
export const sourceBytesMax = 16 * mib
/** Of all files of an archive together, unpacked. */
export const unpackedBytesMax = 64 * mib
export const filesMax = 5_000
/** Of one file. */
export const fileBytesMax = mib
export const pathMax = 255
/** The base64 of the largest archive. */
export const archiveCharactersMax = Math.ceil(sourceBytesMax / 3) * 4
/** Of a request that deploys: the archive in base64, with what is around it. */
export const bodyBytesMax = 24 * mib
/** Of an answer that retrieves: what a request can deploy fits. */
export const retrievedBytesMax = bodyBytesMax
/** Nested objects and lists in a file. */
export const depthMax = 32
/** Components that a retrieval names. */
export const namedMax = 500
/** Problems that a deployment shows. */
export const problemsMax = 200
/** Secrets that are missing, and warnings, that a deployment shows. */
export const shownMax = 1_000
/** Components that a deletion names. */
export const deletionsMax = 1_000

/** A deployment is carried out within this time, or not at all. */
export const attemptMsMax = 120_000
/** Attempts whose process died, or that found the organization changed meanwhile. */
export const attemptsMax = 5
export const keptDays = 90
