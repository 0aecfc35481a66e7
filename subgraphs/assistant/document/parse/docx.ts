import mammoth from 'mammoth'
import { unreadable, type Block } from './block.ts'
import { htmlBlocks } from './html.ts'

/** Headings, paragraphs and tables of a Word document; its images are left out. */
export async function docxBlocks(bytes: Buffer): Promise<Block[]> {
  // An encrypted document is no ZIP archive, but a compound file.
  if (bytes.subarray(0, 2).toString('latin1') !== 'PK') throw unreadable('DOCX')
  const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }))
  try {
    const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage })
    return htmlBlocks(value)
  } catch {
    throw unreadable('DOCX')
  }
}
