import { headingMax, oneLine, type Block } from './block.ts'

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/)

export const textBlocks = (text: string): Block[] =>
  linesOf(text).map((line, index) => ({ text: line, page: null, heading: null, line: index + 1 }))

const markdownHeading = /^ {0,3}#{1,6}[ \t]+(.*)$/
const fence = /^ {0,3}(?:```|~~~)/

/** A line that begins with number signs is a heading, unless it is code. */
export function markdownBlocks(text: string): Block[] {
  let heading: string | null = null
  let isCode = false
  return linesOf(text).map((line, index) => {
    if (fence.test(line)) isCode = !isCode
    const found = isCode ? null : markdownHeading.exec(line)
    if (found) heading = oneLine(found[1]!).replace(/ #+$/, '').slice(0, headingMax) || null
    return { text: found ? oneLine(found[1]!) : line, page: null, heading, line: index + 1 }
  })
}
