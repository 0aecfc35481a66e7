import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import JSZip from 'jszip'
import PDFDocument from 'pdfkit'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { parseMsMax } from '../bounds.ts'
import { parseDocument } from '../parse-document.ts'
import { parse } from './parse.ts'

const passages = async (format: string, content: string | Buffer) =>
  (await parse(format, Buffer.from(content))).passages.map(({ text, page, heading, line }) => [
    text,
    page,
    heading,
    line,
  ])

describe('the passages of a document', () => {
  it('of text have the line where they begin', async () => {
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`)
    const lines = Array.from({ length: 30 }, (_, index) => words.slice(index * 10, index * 10 + 10).join(' '))
    expect(await passages('TEXT', `\n${lines.join('\r\n')}`)).toEqual([
      [lines.slice(0, 25).join('\n'), null, null, 2],
      [lines.slice(25).join('\n'), null, null, 27],
    ])
  })

  it('of Markdown have their heading, and code has none', async () => {
    const text = [
      'Intro',
      '# Terms #',
      'Pay in 30 days.',
      '```',
      '# no heading',
      '```',
      '## Notice',
      'Ninety days.',
    ].join('\n')
    expect(await passages('MARKDOWN', text)).toEqual([
      ['Intro', null, null, 1],
      ['Terms #\nPay in 30 days.\n```\n# no heading\n```', null, 'Terms', 2],
      ['Notice\nNinety days.', null, 'Notice', 7],
    ])
  })

  it('of CSV name the columns and count the lines of quoted values', async () => {
    expect(await passages('CSV', 'city;price\nOslo;"1\n2"\n\nBergen;3')).toEqual([
      ['city; price\ncity: Oslo; price: 1 2\ncity: Bergen; price: 3', null, null, 1],
    ])
  })

  it('of HTML have what a reader sees, with headings', async () => {
    const html =
      '<head><title>T</title></head><h2>Our <b>terms</b></h2><p>Pay &amp; go<script>alert(1)</script><table><tr><td>a<td>b</table>'
    expect(await passages('HTML', html)).toEqual([['Our terms\nPay & go\na b', null, 'Our terms', null]])
  })

  it('of PDF have their page', async () => {
    const doc = new PDFDocument()
    const written = buffer(doc)
    doc.text('The warranty lasts two years.')
    doc.addPage().text('Notice is ninety days.')
    doc.end()
    expect(await passages('PDF', await written)).toEqual([
      ['The warranty lasts two years.', 1, null, null],
      ['Notice is ninety days.', 2, null, null],
    ])
  })

  it('of DOCX have their heading', async () => {
    const body =
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Terms</w:t></w:r></w:p><w:p><w:r><w:t>Pay in 30 days.</w:t></w:r></w:p>'
    expect(await passages('DOCX', await docx(body))).toEqual([['Terms\nPay in 30 days.', null, 'Terms', null]])
  })

  it('without spaces are cut, and texts that PostgreSQL cannot store are replaced', async () => {
    const [first, second] = await passages('TEXT', `a\0b${'漢'.repeat(3_000)}`)
    expect([first![0]!.toString().slice(0, 3), first![0]!.toString().length, second![0]!.toString().length]).toEqual([
      'a\ufffdb',
      2_500,
      503,
    ])
  })

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffGröße')],
    ['UTF-16', Buffer.from('\ufeffGröße', 'utf16le')],
    ['Windows-1252', Buffer.from('Größe', 'latin1')],
  ])('are read as %s', async (_name, bytes) => {
    expect((await passages('TEXT', bytes))[0]![0]).toBe('Größe')
  })

  it.each([
    ['TEXT', ' \n\t', 'EMPTY'],
    ['TEXT', '--- ***', 'EMPTY'],
    ['PDF', 'no PDF', 'UNREADABLE'],
    ['PDF', '%PDF-1.7\n1 0 obj\n<< >>\n', 'UNREADABLE'],
    ['DOCX', 'no archive', 'UNREADABLE'],
    ['DOCX', 'PK\u0003\u0004', 'UNREADABLE'],
    ['CSV', `a,b\n${'x'.repeat(1_100_000)}`, 'UNREADABLE'],
    ['TEXT', 'word '.repeat(250 * 5_001), 'TOO_LARGE'],
  ])('of a hopeless %s file are a failure', async (format, content, code) => {
    await expect(parse(format, Buffer.from(content))).rejects.toMatchObject({ code })
  })
})

describe('the process of a parser', () => {
  const inProcess = (format: string, content: Buffer | string) =>
    parseDocument(format, Readable.from([Buffer.from(content)]), new AbortController().signal)

  it('answers what the parser answers, and its failures', async () => {
    const { passages: found, pages } = await inProcess('MARKDOWN', '# A\nb')
    expect([found, pages]).toEqual([[{ text: 'A\nb', page: null, heading: 'A', line: 1, words: 2 }], null])
    await expect(inProcess('PDF', 'no PDF')).rejects.toMatchObject({ code: 'UNREADABLE' })
  })

  it('ends a DOCX that unpacks to a gigabyte, without taking the memory for it', async () => {
    const before = process.memoryUsage.rss()
    await expect(
      inProcess('DOCX', await docx(`<w:p><w:r><w:t>${' '.repeat(120_000_000)}</w:t></w:r></w:p>`)),
    ).rejects.toMatchObject({
      code: 'TOO_COMPLEX',
    })
    expect(before).toBeGreaterThan(0)
  })

  it('ends a PDF with a page that unpacks to a gigabyte', async () => {
    const content = await deflated(Array<Buffer>(1_000).fill(Buffer.alloc(1_000_000, ' ')))
    await expect(inProcess('PDF', pdfOf(1, content))).rejects.toMatchObject({ code: 'TOO_COMPLEX' })
  })

  it('reads no page of a PDF with ten thousand pages', async () => {
    const began = performance.now()
    await expect(inProcess('PDF', pdfOf(10_000))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'The document has more than 2000 pages.',
    })
    expect(performance.now() - began).toBeLessThan(parseMsMax / 2)
    expect(
      (await inProcess('PDF', pdfOf(2_000, await deflated([Buffer.from('BT /F1 9 Tf (Ready) Tj ET')])))).pages,
    ).toBe(2_000)
  })

  it('reads HTML that is nested twenty thousand levels deep', async () => {
    const deep = await inProcess('HTML', `${'<div>'.repeat(20_000)}end`)
    expect(deep.passages.map(({ text }) => text)).toEqual(['end'])
  })

  it('ends with the one who waits for it', async () => {
    const controller = new AbortController()
    const parsing = parseDocument('TEXT', new Readable({ read: () => undefined }), controller.signal)
    controller.abort(new Error('late'))
    await expect(parsing).rejects.toThrow()
  })
})

/** Bytes that unpack to these parts, which are never in the memory at once. */
const deflated = (parts: readonly Buffer[]): Promise<Buffer> =>
  buffer(Readable.from(parts).pipe(createDeflate({ level: 1 })))

/** A PDF in which each page has this content. */
function pdfOf(pages: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const objects = [
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, page) => `${page + 5} 0 R`).join(' ')}]>>endobj`,
    '3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    ...Array.from(
      { length: pages },
      (_, page) =>
        `${page + 5} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 3 0 R>>>>>>endobj`,
    ),
  ]
  const head = `%PDF-1.4\n${objects.join('\n')}\n4 0 obj<</Length ${content.length}/Filter/FlateDecode>>stream\n`
  const tail = `\nendstream endobj\ntrailer<</Root 1 0 R/Size ${pages + 5}>>\n%%EOF\n`
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
}

async function docx(body: string): Promise<Buffer> {
  const zip = new JSZip()
  const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
  zip.file(
    '[Content_Types].xml',
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  )
  zip.file(
    '_rels/.rels',
    `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  )
  zip.file(
    'word/styles.xml',
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
  )
  zip.file(
    'word/_rels/document.xml.rels',
    `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
  )
  zip.file(
    'word/document.xml',
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  )
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}
