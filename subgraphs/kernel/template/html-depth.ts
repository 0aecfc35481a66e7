import { Parser } from 'htmlparser2'
import { htmlDepthMax } from './mail-bounds.ts'

class TooDeep extends Error {}

/**
 * Whether elements are nested more deeply than a body may. Sanitising takes time that grows with the square of the depth, so ask this
 * before. The sanitiser uses the same parser, so that both see the same elements. It stops at the first one that is too deep.
 */
export function isTooDeep(html: string): boolean {
  let depth = 0
  const parser = new Parser({
    onopentag: () => {
      if (++depth > htmlDepthMax) throw new TooDeep()
    },
    onclosetag: () => {
      depth--
    },
  })
  try {
    parser.end(html)
    return false
  } catch (error) {
    if (error instanceof TooDeep) return true
    throw error
  }
}
