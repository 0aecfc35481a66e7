import { ParseFailure, type Block } from './block.ts'
import { csvBlocks } from './csv.ts'
import { decode } from './decode.ts'
import { htmlBlocks } from './html.ts'
import { markdownBlocks, textBlocks } from './lines.ts'
import { passagesOf, type Passage } from './passages.ts'

export interface Parsed {
  readonly passages: readonly Passage[]
  /** Null where the format has no pages. */
  readonly pages: number | null
}

const plain = (blocks: Block[]) => ({ blocks, pages: null })

async function blocksOf(format: string, bytes: Buffer): Promise<{ blocks: Block[]; pages: number | null }> {
  switch (format) {
    case 'TEXT':
      return plain(textBlocks(decode(bytes)))
    case 'MARKDOWN':
      return plain(markdownBlocks(decode(bytes)))
    case 'CSV':
      return plain(csvBlocks(decode(bytes)))
    case 'HTML':
      return plain(htmlBlocks(decode(bytes)))
    // The libraries of these formats take long to load.
    case 'PDF':
      return (await import('./pdf.ts')).pdfBlocks(bytes)
    case 'DOCX':
      return plain(await (await import('./docx.ts')).docxBlocks(bytes))
    default:
      throw new ParseFailure('UNREADABLE', 'The format is not known.')
  }
}

/** The passages of a document. Throws a `ParseFailure` when it has none. */
export async function parse(format: string, bytes: Buffer): Promise<Parsed> {
  const { blocks, pages } = await blocksOf(format, bytes)
  return { passages: passagesOf(blocks), pages }
}
