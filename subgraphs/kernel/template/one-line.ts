const subjectMax = 255

/** One line without control characters. */
export const oneLine = (text: string, max = subjectMax): string =>
  [...text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()].slice(0, max).join('')
