import { getDocumentProxy } from 'unpdf'
import { pagesMax } from '../bounds.ts'
import { oneLine, ParseFailure, unreadable, type Block } from './block.ts'

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

/** The text of each page, line by line. A page that is a picture has none. */
export async function pdfBlocks(bytes: Buffer): Promise<{ blocks: Block[]; pages: number }> {
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
    const pages = document.numPages
    if (pages > pagesMax) throw new ParseFailure('TOO_LARGE', `The document has more than ${pagesMax} pages.`)
    const blocks: Block[] = []
    for (let page = 1; page <= pages; page++) {
      const read = await document.getPage(page)
      const { items } = await read.getTextContent()
      let line = ''
      const end = (): void => {
        const text = oneLine(line)
        if (text !== '') blocks.push({ text, page, heading: null, line: null })
        line = ''
      }
      for (const item of items) {
        if (!('str' in item)) continue
        line += item.str
        if (item.hasEOL) end()
      }
      end()
      read.cleanup()
    }
    return { blocks, pages }
  } catch (error) {
    if (error instanceof ParseFailure) throw error
    if (nameOf(error) === 'PasswordException') throw new ParseFailure('ENCRYPTED', 'The document needs a password.')
    throw unreadable('PDF')
  }
}
