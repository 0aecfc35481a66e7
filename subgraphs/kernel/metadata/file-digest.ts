import { createHash } from 'node:crypto'

/** The digest of the text of a file, by which its versions are compared. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
