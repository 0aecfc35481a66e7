import { createHash } from 'node:crypto'
import { simpleParser, type AddressObject, type EmailAddress, type ParsedMail as Mail } from 'mailparser'
import { cleanMail } from '../../kernel/template/clean-mail.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { deliveryReportOf, type DeliveryReport } from './delivery-report.ts'
import { messageIdsIn } from './message-ids.ts'

export interface ParsedMail {
  readonly messageId: string
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly from: string | null
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly subject: string
  readonly sentAt: string | null
  readonly bodyHtml: string | null
  readonly bodyText: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly size: number }[]
  readonly report: DeliveryReport | null
}

// A mail is hostile input. The thread that parses it also has a deadline and a maximum memory.
const partsMax = 200
const headBytesMax = 256 * 1024
const htmlMax = 1_000_000
const addressesMax = 100
const attachmentsMax = 100
/** The headers that tell replies of people from those of programs. */
const toldBy = new Set([
  'auto-submitted',
  'content-type',
  'precedence',
  'x-autoreply',
  'x-autorespond',
  'x-auto-response-suppress',
  'list-id',
])

const members = (all: readonly EmailAddress[]): EmailAddress[] =>
  all.flatMap((one) => (one.group ? one.group : [one])).slice(0, addressesMax)

function addressesOf(given: AddressObject | AddressObject[] | undefined): string[] {
  const all = given === undefined ? [] : [given].flat()
  const found = members(all.flatMap(({ value }) => value)).map(({ address }) => parseEmail(address ?? ''))
  return [...new Set(found.filter((email) => email !== null))]
}

/** Text without characters that the database or a header cannot contain. */
export const storable = (text: string, max: number): string => text.replaceAll('\0', '').slice(0, max).toWellFormed()

/** What is stored of a mail; null if it has too many parts or is no mail. Runs in a worker thread. */
export async function parseMail({ source }: { readonly source: Uint8Array }): Promise<ParsedMail | null> {
  const bytes = Buffer.from(source)
  const mail = await parsed(bytes)
  return mail && partsToStore(bytes, mail)
}

async function parsed(bytes: Buffer): Promise<Mail | null> {
  try {
    return await simpleParser(bytes, limits)
  } catch {
    return null
  }
}

const limits = {
  keepCidLinks: true,
  skipImageLinks: true,
  skipTextToHtml: true,
  skipHtmlToText: true,
  keepDeliveryStatus: true,
  checksumAlgo: false,
  maxHtmlLengthToParse: htmlMax,
  maxHeadSize: headBytesMax,
  maxChildNodes: partsMax,
} as const

function partsToStore(bytes: Buffer, mail: Mail): ParsedMail {
  const headers = mail.headerLines
    .filter(({ key }) => toldBy.has(key))
    .slice(0, 50)
    .map(({ key, line }) => [key, storable(line.slice(line.indexOf(':') + 1).trim(), 1000)] as const)
  const line = (name: string): string => mail.headerLines.find(({ key }) => key === name)?.line.slice(0, 20_000) ?? ''
  const html = typeof mail.html === 'string' ? storable(mail.html, htmlMax) : null
  const text = mail.text === undefined ? null : storable(mail.text, htmlMax)
  const { bodyHtml, bodyText } = cleanMail({ bodyHtml: html, bodyText: text || null })
  const isDated = mail.date instanceof Date && Number.isFinite(mail.date.getTime())
  return {
    // A mail without Message-ID gets one of its content, so that it too is stored once.
    messageId:
      messageIdsIn(line('message-id'))[0] ?? `<${createHash('sha256').update(bytes).digest('hex')}@no-id.invalid>`,
    inReplyTo: messageIdsIn(line('in-reply-to'))[0] ?? null,
    references: messageIdsIn(line('references')).slice(-50),
    from: addressesOf(mail.from)[0] ?? null,
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    subject: storable(mail.subject ?? '', 10_000),
    sentAt: isDated ? mail.date!.toISOString() : null,
    bodyHtml,
    bodyText: storable(bodyText, htmlMax),
    headers,
    attachments: mail.attachments.slice(0, attachmentsMax).map(({ filename, contentType, size }) => ({
      filename: storable((filename ?? '').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '), 255),
      contentType: storable(contentType, 255),
      size,
    })),
    report: deliveryReportOf(mail.attachments),
  }
}
