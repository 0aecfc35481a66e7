import { stripVTControlCharacters } from 'node:util'

/** Text of others as a terminal may show it: without control characters, which could change what is already shown. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : '',
  )

/** The same in one line. */
export const plainLine = (text: string): string => plain(text).replaceAll(/\s+/g, ' ').trim()

export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`
