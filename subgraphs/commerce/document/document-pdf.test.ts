import { getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { exactNumber } from '../../kernel/json/exact-number.ts'
import { documentDay } from './document-day.ts'
import { documentPdf } from './document-pdf.ts'
import type { DocumentLine, PricedDocument } from './priced-document.ts'

const organization = { name: 'Fjordline Freight Systems', address: ['Strandgaten 12', null, '5013 Bergen'] }

const line = (wanted: Partial<DocumentLine> = {}): DocumentLine => ({
  name: 'Dock Scheduling',
  sku: 'SW-DOCK-A',
  quantity: 2,
  unitPrice: 450,
  taxRate: 25,
  lineTotal: 900,
  ...wanted,
})

const document = (wanted: Partial<PricedDocument> = {}): PricedDocument => ({
  title: 'QUOTE',
  number: 'Q-000123',
  facts: [
    ['Date', '1 November 2026'],
    ['Valid until', '1 December 2026'],
    ['Payment', '30 days net'],
    ['Revision', null],
  ],
  currency: 'EUR',
  organization,
  customerLabel: 'Prepared for',
  customer: { name: 'Baltic Ferries', contactName: 'Jonas Berg' },
  lines: [line()],
  subtotal: 900,
  taxTotal: 225,
  total: 1125,
  signatures: { title: 'Acceptance', statement: 'Both parties agree.' },
  ...wanted,
})

/** The text of each page, one item per run. */
async function textOf(pdf: Uint8Array): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 })
  const pages = Array.from({ length: document.numPages }, async (_, index) => {
    const { items } = await (await document.getPage(index + 1)).getTextContent()
    return items.map((item) => ('str' in item ? item.str : '')).join('|')
  })
  return Promise.all(pages)
}

const pagesOf = async (wanted: Partial<PricedDocument> = {}): Promise<string[]> =>
  textOf(await documentPdf(JSON.stringify(document(wanted))))

describe('documentPdf', () => {
  it('has the parties, the lines, the exact totals and a place to sign', async () => {
    const [page, ...others] = await pagesOf({
      lines: [line({ discountPercent: 10, discountAmount: exactNumber('0.125'), lineTotal: exactNumber('809.88') })],
      subtotal: exactNumber('12345678901234.55'),
      discountTotal: 90.5,
      shippingTotal: 20,
      taxTotal: exactNumber('0.10'),
      total: exactNumber('12345678901164.15'),
      sections: [
        ['Terms', 'Delivery in week 50.'],
        ['Notes', 'Call before delivery.'],
        ['Empty', null],
      ],
    })
    expect(others).toEqual([])
    for (const text of [
      'Fjordline Freight Systems',
      'Strandgaten 12',
      'Baltic Ferries',
      'Jonas Berg',
      'Q-000123',
      '1 November 2026',
      '1 December 2026',
      '30 days net',
      'Dock Scheduling (SW-DOCK-A)',
      '€450.00',
      '10% + €0.125',
      '25%',
      '€809.88',
      '€12,345,678,901,234.55',
      '−€90.50',
      '€20.00',
      '€0.10',
      '€12,345,678,901,164.15',
      'Delivery in week 50.',
      'Call before delivery.',
      'For Fjordline Freight Systems',
      'For Baltic Ferries',
      'Signature',
      'Page 1 of 1',
    ])
      expect(page).toContain(text)
    expect(page).not.toMatch(/Revision|Empty/)
  })

  it.each([
    ['JPY', '123456', '¥123,456'],
    ['KWD', '1234.5', 'KWD\u00a01,234.500'],
    ['USD', '1234.5', '$1,234.50'],
    ['CLF', '1.2345', 'CLF\u00a01.2345'],
  ])('writes a total in %s', async (currency, total, text) => {
    expect((await pagesOf({ currency, total: exactNumber(total) }))[0]!.replaceAll(' ', '\u00a0')).toContain(text)
  })

  it('repeats the titles of the columns and numbers the pages', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => line({ name: `Item ${index + 1}`, sku: null }))
    const pages = await pagesOf({ lines })
    expect(pages.length).toBeGreaterThan(3)
    pages.forEach((page, index) => expect(page).toContain(`Page ${index + 1} of ${pages.length}`))
    const items = pages.flatMap((page) => [...page.matchAll(/\bItem (\d+)\b/g)].map(([, number]) => Number(number)))
    expect(items).toEqual(lines.map((_, index) => index + 1))
    const titled = pages.filter((page) => page.includes('Unit price'))
    expect(titled).toEqual(pages.filter((page) => /\bItem \d/.test(page)))
  })

  it('writes text in other scripts, with words from right to left in their order', async () => {
    const name = 'Планування · 北欧航运 · ありがとう · 서울'
    const [page] = await pagesOf({ name, customer: { name: 'שלום עולם' } })
    expect(page!.replaceAll('|', '')).toContain(name)
    expect(page).toContain('שלום עולם')
  })

  it('leaves out characters that hide or reverse the text around them', async () => {
    const [page] = await pagesOf({ name: 'pay \u202e001\u202c \u200bnow\0 \ud800', sections: [['Terms', 'a\u0007b']] })
    expect(page).toContain('pay 001 now')
    expect(page).toContain('ab')
  })

  it('bounds hostile text and still has the total and the signatures', async () => {
    const long = 'x'.repeat(100_000)
    const lines = Array.from({ length: 500 }, () => line({ name: long, description: 'y \n'.repeat(5_000) }))
    const pages = await pagesOf({
      lines,
      name: long,
      sections: [
        ['Terms', '\n'.repeat(90_000) + 'z '.repeat(90_000)],
        ['Notes', long],
      ],
    })
    expect(pages.length).toBeLessThanOrEqual(60)
    expect(pages.join('')).toContain('€1,125.00')
    expect(pages.at(-1)).toContain('Signature')
    expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length} (shortened)`)
  })

  it('says who accepted it, and writes amounts below the total', async () => {
    const [page] = await pagesOf({
      signatures: { title: 'Acceptance', statement: 'Both agree.', remark: 'Accepted by Jonas Berg.' },
      afterTotal: [
        ['Paid', 1000],
        ['Balance due', 125],
      ],
    })
    for (const text of ['Both agree.', 'Accepted by Jonas Berg.', 'Paid', '€1,000.00', 'Balance due', '€125.00'])
      expect(page).toContain(text)
  })

  it('has no place to sign unless it is wanted', async () => {
    expect((await pagesOf({ title: 'INVOICE', signatures: null }))[0]).not.toContain('Signature')
  })
})

describe('documentDay', () => {
  it('is the day in the time zone of the organization', () => {
    expect(documentDay('Europe/Oslo')('2026-11-05T23:30:00.000Z')).toBe('6 November 2026')
    expect(documentDay(null)('2026-11-05T23:30:00.000Z')).toBe('5 November 2026')
  })
})
