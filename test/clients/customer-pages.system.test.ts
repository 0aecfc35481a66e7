import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invoiceOverdue } from '../../subgraphs/commerce/invoice/invoice-overdue.job.ts'
import { aLine, account, contact, quote, sentInvoice } from '../builders.ts'
import { chromium } from '../chromium.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

// What a customer sees of quotes, invoices and their mails, on a phone, on a dark screen and printed.

const browserHere = chromium()
if (!browserHere.executablePath) console.warn(`customer pages: ${browserHere.explanation}`)

const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQ96sEAAF2AOe2j1NWAAAAAElFTkSuQmCC'
const long = 'Donaudampfschifffahrtsgesellschaftskapitän'
const lines = [
  aLine({
    name: long.repeat(2),
    description: 'x'.repeat(200),
    quantity: 1234.5,
    unitPrice: 98765432.1234,
    taxRate: 25,
  }),
  aLine({ name: 'Onboarding', discountPercent: 12.5 }),
]
const widths = [360, 1280]

describe.runIf(browserHere.executablePath)('in Chromium', () => {
  const platform = usePlatform()
  let browser: Browser
  let pages: Readonly<Record<'invoice' | 'quote', string>>
  let mails: string[]

  beforeAll(async () => {
    browser = await browserHere.launch()
    const organizationId = await platform.organization('Fjordline Freight')
    const member = await platform.member({ organizationId, role: 'ADMIN' })
    const rest = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, member)}`,
    })
    await rest.organizationUpdate!({
      body: { brandColor: '#0b6e4f', logo, postalAddress: `Strandgaten 12\n5013 Bergen\n${long}` },
    })
    const { id: customerId } = await account(member, { name: `${long} ${long}` })
    const { id: contactId } = await contact(member, { email: 'customer@pages.example', accountId: customerId })
    const message = `${long.repeat(3)}\nThank you.`
    const { id, publicUrl } = await sentInvoice(member, {
      customerId,
      contactId,
      lineItems: lines,
      issueDate: '2026-12-20',
      dueDate: '2027-01-19',
    })
    await invoiceOverdue.run(platform.services)
    await member.rest.invoiceSend!({ id, body: { message } })
    const offer = await quote(member, { accountId: customerId, contactId, lineItems: lines, terms: long.repeat(4) })
    await member.rest.quoteSend!({ id: offer.id, body: { message } })
    const sent = (await mailsTo(platform, 'customer@pages.example')).slice(-2)
    mails = sent.map(({ html }) => html)
    const [link] = sent.flatMap(({ text }) => /\S+\/v1\/public\/quotes\/\S+/.exec(text) ?? [])
    const atServer = (url: string) => platform.url + url.slice(url.indexOf('/v1/'))
    pages = { invoice: atServer(publicUrl), quote: atServer(link!) }
  })
  afterAll(() => browser.close())

  async function visited(url: string, width: number, options: { colorScheme?: 'dark' } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, ...options })
    const errors: string[] = []
    context.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    const page = await context.newPage()
    await page.goto(url)
    return { page, errors, close: () => context.close() }
  }
  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  const styleOf = (page: Page, selector: string, name: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`)

  it.each(['invoice', 'quote'] as const)('the %s page fits a phone and a desk, with the logo', async (name) => {
    for (const width of widths) {
      const { page, errors, close } = await visited(pages[name], width)
      expect([await overflow(page), errors]).toEqual([0, []])
      expect(await page.getByRole('img', { name: 'Fjordline Freight' }).count()).toBe(1)
      expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
      expect(await page.locator('footer').innerText()).toContain('Strandgaten 12')
      expect(await styleOf(page, 'main', 'border-top-color')).toBe('rgb(11, 110, 79)')
      await close()
    }
  })

  it('an overdue invoice says so in red, also on a dark screen', async () => {
    for (const [scheme, red] of [
      [undefined, 'rgb(179, 38, 30)'],
      ['dark', 'rgb(255, 138, 128)'],
    ] as const) {
      const { page, close } = await visited(pages.invoice, 360, scheme && { colorScheme: scheme })
      expect(await page.getByRole('status').innerText()).toContain('was due on 19 January 2027')
      expect(await styleOf(page, '[role=status]', 'color')).toBe(red)
      await close()
    }
  })

  it('printed, a page has no buttons and is dark on white', async () => {
    const { page, close } = await visited(pages.quote, 1280, { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await styleOf(page, 'main', 'background-color')).toBe('rgb(255, 255, 255)')
    expect(await styleOf(page, 'main', 'color')).toBe('rgb(0, 0, 0)')
    await close()
  })

  it('a mail fits a phone, with its logo, one button, the amount and the words of the sender', async () => {
    expect(mails).toHaveLength(2)
    for (const html of mails) {
      const { page, close } = await visited('about:blank', 360)
      await page.setContent(html)
      expect(await overflow(page)).toBe(0)
      // Nothing is cut off at the edge of the letter.
      expect(
        await page.evaluate(
          `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.letter'))`,
        ),
      ).toBe(0)
      expect(await page.getByRole('img', { name: 'Fjordline Freight' }).count()).toBe(1)
      expect(await page.getByRole('link').count()).toBe(1)
      const text = await page.locator('body').innerText()
      for (const part of ['Thank you.', 'Strandgaten 12', /\$\d/]) expect(text).toMatch(part)
      await close()
    }
  })
})
