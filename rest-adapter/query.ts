import { invalid } from '../subgraphs/kernel/errors.ts'

export type QueryPairs = readonly (readonly [name: string, value: string])[]

const none: QueryPairs = []

/** The name-value pairs of a query string in their order; refuses percent-encoding that is not UTF-8. */
export function queryPairs(url: string): QueryPairs {
  const start = url.indexOf('?')
  if (start < 0 || start === url.length - 1) return none
  return url
    .slice(start + 1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      const name = decode(equals < 0 ? part : part.slice(0, equals))
      return [name, equals < 0 ? '' : decode(part.slice(equals + 1))]
    })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalid({ path: 'query', code: 'WRONG_ENCODING', message: 'The query must be percent-encoded UTF-8.' })
  }
}
