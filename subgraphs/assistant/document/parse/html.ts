import { Parser } from 'htmlparser2'
import { headingMax, oneLine, type Block } from './block.ts'

const hidden = new Set(['script', 'style', 'noscript', 'template', 'head', 'svg', 'iframe', 'object'])
const inline = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
)
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const cells = new Set(['td', 'th'])

/** The visible text, one block for each element that begins a line. It keeps no tree, so deep nesting costs nothing. */
export function htmlBlocks(html: string): Block[] {
  const blocks: Block[] = []
  let heading: string | null = null
  let text = ''
  let hiddenDepth = 0
  let isHeading = false
  const end = (): void => {
    const shown = oneLine(text)
    text = ''
    if (shown === '') return
    if (isHeading) heading = shown.slice(0, headingMax)
    blocks.push({ text: shown, page: null, heading, line: null })
  }
  const parser = new Parser(
    {
      onopentagname(name) {
        if (hidden.has(name)) hiddenDepth += 1
        if (inline.has(name)) return
        if (cells.has(name)) text += ' '
        else end()
        if (headings.has(name)) isHeading = true
      },
      ontext(part) {
        if (hiddenDepth === 0) text += part
      },
      onclosetag(name) {
        if (hidden.has(name)) hiddenDepth = Math.max(0, hiddenDepth - 1)
        if (inline.has(name) || cells.has(name)) return
        end()
        if (headings.has(name)) isHeading = false
      },
    },
    { decodeEntities: true },
  )
  parser.write(html)
  parser.end()
  end()
  return blocks
}
