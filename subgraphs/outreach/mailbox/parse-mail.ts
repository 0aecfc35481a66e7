import { createHash } from 'node:crypto'
import { simpleParser, type AddressObject, type EmailAddress, type ParsedMail as Mail } from 'mailparser'
import { cleanMail } from '../../kernel/template/clean-mail.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { judgeMail, judgedHeaders } from '../received-mail/judge-mail.ts'
import type { Judgement } from '../received-mail/judgement.ts'
import { messageIdsIn } from '../received-mail/message-ids.ts'
import type { EmailAttachment } from '../email/email.ts'

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
  /** The attachments without their content. */
  readonly attachments: readonly EmailAttachment[]
  readonly judgement: Judgement
}

// A mail is hostile input. The thread that parses it also has a deadline and a maximum memory.
const partsMax = 200
const headBytesMax = 256 * 1024
const htmlMax = 1_000_000
const addressesMax = 100
export const attachmentsMax = 100

const members = (all: readonly EmailAddress[]): EmailAddress[] =>
  all.flatMap((one) => (one.group ? one.group : [one])).slice(0, addressesMax)

function addressesOf(given: AddressObject | AddressObject[] | undefined): string[] {
  const all = given === undefined ? [] : [given].flat()
  const found = members(all.flatMap(({ value }) => value)).map(({ address }) => parseEmail(address ?? ''))
  return [...new Set(found.filter((email) => email !== null))]
}

/** Text without characters that the database or a header cannot contain. */
export const storable = (text: string, max: number): string => text.replaceAll('\0', '').slice(0, max).toWellFormed()

/** The name of a file or of its type in one line. */
export const storableName = (text: string): string => storable(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '), 255)

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
    .filter(({ key }) => judgedHeaders.has(key))
    .slice(0, 50)
    .map(
      ({ key, line }) =>
        [
          key,
          line
            .slice(line.indexOf(':') + 1)
            .trim()
            .slice(0, 1000),
        ] as const,
    )
  const line = (name: string): string => mail.headerLines.find(({ key }) => key === name)?.line.slice(0, 20_000) ?? ''
  // Some programs encode Message-IDs as words; the parser decodes them, and would take anything for one.
  const idsIn = (name: string, decoded: string): string[] =>
    messageIdsIn(line(name).includes('=?') ? decoded.slice(0, 20_000) : line(name))
  const html = typeof mail.html === 'string' ? storable(mail.html, htmlMax) : null
  const text = mail.text === undefined ? null : storable(mail.text, htmlMax)
  const { bodyHtml, bodyText } = cleanMail({ bodyHtml: html, bodyText: text || null })
  const from = addressesOf(mail.from)[0] ?? null
  const subject = storable(mail.subject ?? '', 10_000)
  const isDated = mail.date instanceof Date && Number.isFinite(mail.date.getTime())
  return {
    // A mail without Message-ID gets one of its content, so that it too is stored once.
    messageId:
      messageIdsIn(line('message-id'))[0] ?? `<${createHash('sha256').update(bytes).digest('hex')}@no-id.invalid>`,
    inReplyTo: idsIn('in-reply-to', mail.inReplyTo ?? '')[0] ?? null,
    references: idsIn('references', [mail.references ?? []].flat().join(' ')).slice(-50),
    from,
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    subject,
    sentAt: isDated ? mail.date!.toISOString() : null,
    bodyHtml,
    bodyText: storable(bodyText, htmlMax),
    attachments: mail.attachments.slice(0, attachmentsMax).map(({ filename, contentType, size }) => ({
      filename: storableName(filename ?? ''),
      contentType: storable(contentType, 255),
      size,
      fileId: null,
    })),
    judgement: judgeMail({ headers, subject, from: from ?? '', text: bodyText, parts: mail.attachments }),
  }
}
