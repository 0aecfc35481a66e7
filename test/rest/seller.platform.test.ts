import { crc32, deflateSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { aLine, contact, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

// What customers see of the organization that sells: its logo, colour and address on pages, documents and in mails.

const platform = usePlatform()
afterAll(() => expectValidEvents(platform))

async function aSeller(name: string) {
  const member = await platform.member({ organizationId: await platform.organization(name), role: 'ADMIN' })
  const session = await sessionOf(platform, member)
  const rest = restClient(platform.contract, platform.url, { Authorization: `Bearer ${session}` })
  const settings = async () => (await rest.organizationAdministered!()).body.settings
  return { member, rest, settings }
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

interface Png {
  readonly width?: number
  readonly height?: number
  readonly depth?: number
  readonly interlace?: number
  readonly pixels?: Buffer
  readonly more?: readonly Buffer[]
}

function png({ width = 40, height = 20, depth = 8, interlace = 0, pixels, more = [] }: Png = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, 2, 0, 0, interlace], 8)
  const rows = pixels ?? Buffer.alloc(height * (1 + width * 3), 0x60)
  if (!pixels) for (let row = 0; row < height; row += 1) rows[row * (1 + width * 3)] = 0
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A grey JPEG of 8 × 8 pixels. */
const grey = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAA' +
    'AAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAA' +
    'ACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0' +
    'AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAA' +
    'AAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAM' +
    'ZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////' +
    '////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////' +
    '////wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/E' +
    'ABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAD/9k=',
  'base64',
)
/** The same with what a camera adds. */
const jpeg = Buffer.concat([grey.subarray(0, 2), Buffer.from('\xff\xe1\0\x0bGPS 59.9\0', 'latin1'), grey.subarray(2)])
const emailOf = async ({ userId }: Member) =>
  (await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [userId]))[0]!.email
const urlOf = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const pageOf = async (link: string) => (await fetch(link)).text()
const logoPathIn = (html: string) => /\/v1\/public\/logos\/[0-9a-f-]{36}/.exec(html)?.[0]

it('is on the page of an invoice with its logo, its colour and its address', async () => {
  const { member, rest } = await aSeller('Fjord & Sons')
  const address = 'Strandgaten 12\r\n5013 Bergen'
  const logo = urlOf(png({ more: [chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'))] }))
  const wanted = { brandColor: '#FFD400', logo, postalAddress: address, taxId: 'NO 974 760 673 MVA' }
  const { status, body } = await rest.organizationUpdate!({ body: wanted })
  // The comment is not stored.
  expect([status, body.settings.brandColor, body.settings.logo]).toEqual([200, '#FFD400', urlOf(png())])
  const { publicUrl, documentUrl } = await sentInvoice(member)
  const html = await pageOf(publicUrl)
  const path = logoPathIn(html)!
  expect(html).toContain(`<img src="${path}" alt="Fjord &#38; Sons">`)
  expect(html).toContain(':root { --brand: #FFD400; --on-brand: #000000; }')
  for (const line of ['Strandgaten 12', '5013 Bergen', 'Tax id NO 974 760 673 MVA'])
    expect(html).toContain(`<p>${line}</p>`)

  const image = await fetch(platform.url + path)
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(image.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect(image.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(Buffer.from(await image.arrayBuffer())).toEqual(png())
  const pdf = await fetch(platform.url + documentUrl, { headers: member.headers })
  expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1')).toContain('/Subtype /Image')
})

it('is in the mail of an invoice, with the words of the sender and one button', async () => {
  const { member, rest } = await aSeller('Bergen Docks')
  await rest.organizationUpdate!({
    body: {
      brandColor: '#1f4e79',
      logo: urlOf(jpeg, 'image/jpeg'),
      postalAddress: 'Havnegt.1\nhttp://evil.example @you',
    },
  })
  const { id: contactId } = await contact(member, { firstName: 'Ines', lastName: 'Duarte', email: 'ines@logo.example' })
  const { id } = await invoice(member, { contactId, lineItems: [aLine({ unitPrice: 100, taxRate: 25 })] })
  const message = 'Dear Ines,\nthis is the <first> part.'
  expect((await member.rest.invoiceSend!({ id, body: { message } })).status).toBe(200)
  const { publicUrl } = (await member.rest.invoice!({ id })).body
  const [mail] = await mailsTo(platform, 'ines@logo.example')
  const path = logoPathIn(mail!.html)!
  const base = publicUrl.slice(0, publicUrl.indexOf('/v1/'))
  expect(mail!.html).toContain(`<img class="logo" src="${base}${path}" alt="Bergen Docks" width="8" height="8">`)
  expect(mail!.html).toContain('this is the &lt;first&gt; part.')
  expect(mail!.html).toContain('>$125.00</td>')
  expect(mail!.html.match(/<a href="[^"]+" style="[^"]*background:#1f4e79;color:#ffffff/g)).toHaveLength(1)
  // A mail program makes no link of a line of the address.
  expect(mail!.html).toContain('Bergen Docks<br>Havnegt. 1<br>http evil. example you</div>')
  expect(mail!.text).toContain('this is the <first> part.')
  expect(mail!.text.endsWith('-- \nBergen Docks\nHavnegt. 1\nhttp evil. example you\n')).toBe(true)
  expect(mail!.replyTo?.address).toBe(await emailOf(member))

  const again = (body: object) => member.rest.invoiceSend!({ id, body })
  expect((await refusedInputs(platform, () => again({ message: 'x'.repeat(2001) }))).slice(2)).toEqual([
    'message TOO_LONG',
  ])
})

it('has another address with every logo, and none while the organization is suspended', async () => {
  const { member, rest, settings } = await aSeller('Logos')
  await rest.organizationUpdate!({ body: { logo: urlOf(png()) } })
  const { publicUrl } = await sentInvoice(member)
  const first = logoPathIn(await pageOf(publicUrl))!
  await rest.organizationUpdate!({ body: { logo: urlOf(jpeg, 'image/png') } })
  const second = logoPathIn(await pageOf(publicUrl))!
  // What keeps the place of a photo is not stored, and the type is that of the bytes.
  const stored: string = (await settings()).logo
  expect(stored).toMatch(/^data:image\/jpeg;base64,/)
  expect(Buffer.from(stored.slice(23), 'base64').includes('GPS')).toBe(false)
  const statuses = () => Promise.all([first, second].map(async (path) => (await fetch(platform.url + path)).status))
  expect(await statuses()).toEqual([404, 200])
  await platform.query(`update identity.organization set status = 'SUSPENDED' where id = $1`, [member.organizationId])
  expect(await statuses()).toEqual([404, 404])
  await platform.query(`update identity.organization set status = 'ACTIVE' where id = $1`, [member.organizationId])
  await rest.organizationUpdate!({ body: { logo: null, brandColor: null } })
  expect(await settings()).toMatchObject({ logo: null, brandColor: null })
  expect(await pageOf(publicUrl)).toContain('<header><strong>Logos</strong></header>')
  expect((await fetch(`${platform.url}/v1/public/logos/${member.organizationId}`)).status).toBe(404)
  expect((await fetch(`${platform.url}/v1/public/logos/x`)).status).toBe(404)
})

it('refuses what is no small picture', async () => {
  const { rest, settings } = await aSeller('Refused')
  await rest.organizationUpdate!({ body: { logo: urlOf(png()), brandColor: '#123456' } })
  const kept = await settings()
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const logos: Readonly<Record<string, string>> = {
    'an address': 'https://customer.example/logo.png',
    'an SVG': urlOf(svg, 'image/svg+xml'),
    'an SVG that says it is a PNG': urlOf(svg),
    'a page': urlOf(Buffer.from('<!doctype html><script>alert(1)</script>')),
    'a PNG without its end': urlOf(png().subarray(0, -12)),
    'a PNG with more pixels than it says': urlOf(png({ pixels: Buffer.alloc(50_000_000) })),
    'a PNG with fewer pixels': urlOf(png({ pixels: Buffer.alloc(10) })),
    'a PNG of too many pixels': urlOf(png({ width: 1001, height: 1000 })),
    'a PNG of no pixels': urlOf(png({ width: 0, height: 0 })),
    'a PNG of 16 bits': urlOf(png({ depth: 16 })),
    'an interlaced PNG': urlOf(png({ interlace: 1 })),
    'a JPEG without its picture': urlOf(grey.subarray(0, 40), 'image/jpeg'),
  }
  for (const [name, logo] of Object.entries(logos)) {
    const refusal = await refusedInputs(platform, () => rest.organizationUpdate!({ body: { logo } }))
    expect(refusal, name).toEqual([400, 'VALIDATION_FAILED', 'logo NOT_AN_IMAGE'])
  }
  const large = { logo: urlOf(Buffer.concat([png(), Buffer.alloc(100_001)])) }
  expect((await refusedInputs(platform, () => rest.organizationUpdate!({ body: large }))).slice(2)).toEqual([
    'logo TOO_LONG',
  ])
  for (const brandColor of ['red', '#12345', '#1f4e79;}', 'url(x)']) {
    const refusal = await refusedInputs(platform, () => rest.organizationUpdate!({ body: { brandColor } }))
    expect(refusal.slice(2)).toEqual(['brandColor WRONG_FORMAT'])
  }
  expect(await settings()).toEqual(kept)
})
