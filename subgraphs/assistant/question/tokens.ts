export interface Token {
  /** As written, without quotes. */
  readonly text: string
  /** In lower case, without a possessive ending. */
  readonly word: string
  readonly isQuoted: boolean
  readonly isCapital: boolean
  /** Where the text is in the message. */
  readonly from: number
  readonly to: number
}

export const tokensMax = 60
export const messageMax = 4000

const pattern = /["“”«»]|[\p{L}\p{N}_$€£][\p{L}\p{N}\p{M}_'’.,&%/@+-]*/gu
const isQuote = (text: string): boolean => /^["“”«»]$/u.test(text)

function tokenOf(raw: string, from: number): Token | null {
  let end = raw.length
  while (end > 0 && `.,'’&/-`.includes(raw[end - 1]!)) end--
  const text = raw.slice(0, end)
  if (text === '') return null
  const lower = text.toLowerCase()
  const word = /['’]s$/u.test(lower) ? lower.slice(0, -2) : lower
  const named = word.length < lower.length ? text.slice(0, -2) : text
  return {
    text: named,
    word,
    isQuoted: false,
    isCapital: /^\p{Lu}|^\p{N}/u.test(text),
    from,
    to: from + named.length,
  }
}

/** The words of a message, a quoted text as one; null if there are too many. One pass, in linear time. */
export function tokensOf(message: string): Token[] | null {
  const tokens: Token[] = []
  let quotedFrom = -1
  for (const { 0: raw, index } of message.matchAll(pattern)) {
    if (isQuote(raw)) {
      if (quotedFrom < 0) quotedFrom = index + 1
      else {
        const text = message.slice(quotedFrom, index).trim()
        if (text !== '')
          tokens.push({
            text,
            word: text.toLowerCase(),
            isQuoted: true,
            isCapital: true,
            from: quotedFrom,
            to: index,
          })
        quotedFrom = -1
      }
    } else if (quotedFrom < 0 || !/["“”«»]/u.test(message.slice(index))) {
      const token = tokenOf(raw, index)
      if (token) tokens.push(token)
    }
    if (tokens.length > tokensMax) return null
  }
  return tokens
}
