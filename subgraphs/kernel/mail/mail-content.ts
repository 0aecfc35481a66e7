import { textOn, usualColor } from '../values/color.ts'
import type { MailContent } from './queue-mail.ts'

/** Who writes to a customer in the name of an organization. The texts are bounded and have no addresses that a mail program makes links of. */
export interface Letterhead {
  /** Empty if the name of the organization cannot be shown. */
  readonly name: string
  /** Lines of the postal address. */
  readonly address: readonly string[]
  /** Colour of the button, such as `#1f4e79`. */
  readonly color: string | null
  readonly logo: { readonly url: string; readonly width: number; readonly height: number } | null
}

/** An amount or a day that the reader looks for first. */
export interface MailFact {
  readonly label: string
  readonly value: string
  /** Shown in red: the day is over. */
  readonly isLate?: boolean
}

export interface MailParts {
  readonly subject: string
  /** Paragraphs before the action. */
  readonly lines: readonly string[]
  readonly facts?: readonly MailFact[]
  /** A link to follow, or a code to type. */
  readonly action?: { readonly label: string; readonly url: string } | { readonly code: string }
  /** Paragraphs after the action. */
  readonly closing?: readonly string[]
  readonly letterhead?: Letterhead
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!)
const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`

const buttonStyle = (color: string): string =>
  `display:inline-block;padding:12px 28px;border-radius:6px;background:${color};color:${textOn(color)};font-weight:bold;text-decoration:none`

function actionHtml(action: NonNullable<MailParts['action']>, letterhead?: Letterhead): string {
  if ('code' in action) return paragraph(`<strong style="font-size:24px;letter-spacing:2px">${action.code}</strong>`)
  const url = escaped(action.url)
  const label = escaped(action.label)
  if (!letterhead) return paragraph(`<a href="${url}">${label}</a><br>${url}`)
  const button = paragraph(`<a href="${url}" style="${buttonStyle(letterhead.color ?? usualColor)}">${label}</a>`)
  return `${button}<p class="quiet" style="margin:0 0 16px;font-size:13px;overflow-wrap:anywhere">${url}</p>`
}

const factsHtml = (facts: readonly MailFact[]): string =>
  `<table role="presentation" style="border-collapse:collapse;margin:0 0 20px">${facts
    .map(
      ({ label, value, isLate = false }) =>
        `<tr><td class="quiet" style="padding:2px 20px 2px 0;white-space:nowrap">${escaped(label)}</td><td${isLate ? ' class="late"' : ''} style="padding:2px 0;font-size:18px;font-weight:bold">${escaped(value)}</td></tr>`,
    )
    .join('')}</table>`

const plainPage = (content: string): string =>
  `<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:16px;color:#222;max-width:560px">${content}</body></html>`

const letterStyle = `
body { margin:0; padding:16px; background:#f3f4f6; color:#1f2328; font:16px/1.5 sans-serif; overflow-wrap:anywhere; }
.letter { max-width:600px; margin:0 auto; background:#ffffff; border-radius:8px; overflow:hidden; }
.part { padding:20px 24px; }
.quiet { color:#59636e; }
.late { color:#b3261e; }
@media (prefers-color-scheme: dark) {
  body { background:#16181b; color:#e6e8ea; }
  .letter { background:#212429; }
  .quiet { color:#a7b0ba; }
  .late { color:#ff8a80; }
  .logo { background:#ffffff; padding:6px; border-radius:4px; }
}`

/** A logo is at most this large in a mail. */
const [logoWidthMax, logoHeightMax] = [200, 56]

function logoHtml({ logo, name }: Letterhead): string {
  if (!logo) return name === '' ? '' : `<strong style="font-size:18px">${escaped(name)}</strong>`
  const scale = Math.min(logoWidthMax / logo.width, logoHeightMax / logo.height, 1)
  const [width, height] = [Math.round(logo.width * scale) || 1, Math.round(logo.height * scale) || 1]
  return `<img class="logo" src="${escaped(logo.url)}" alt="${escaped(name)}" width="${width}" height="${height}">`
}

/** A letter of an organization: its colour and logo above, its name and address below; readable on a phone and on dark screens. */
function letterPage(content: string, letterhead: Letterhead): string {
  const { name, address, color } = letterhead
  const head = logoHtml(letterhead)
  const foot = [name, ...address]
    .filter((line) => line !== '')
    .map(escaped)
    .join('<br>')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>${letterStyle}</style></head>
<body><div class="letter" style="border-top:6px solid ${color ?? usualColor}">
${head && `<div class="part" style="padding-bottom:0">${head}</div>`}
<div class="part">${content}</div>
${foot && `<div class="part quiet" style="border-top:1px solid #8884;font-size:13px">${foot}</div>`}
</div></body></html>`
}

/** The same content as plain text and as HTML, without trackers and external styles; the only image is the logo of the letterhead. */
export function mailContent({ subject, lines, facts = [], action, closing = [], letterhead }: MailParts): MailContent {
  const actionText = action && ('code' in action ? action.code : `${action.label}:\n${action.url}`)
  const factText = facts.map(({ label, value }) => `${label}: ${value}`).join('\n')
  const foot = letterhead ? [letterhead.name, ...letterhead.address].filter((line) => line !== '').join('\n') : ''
  const parts = [...lines, factText, actionText, ...closing, foot && `-- \n${foot}`]
  const html = [
    ...lines.map((line) => paragraph(escaped(line))),
    facts.length > 0 ? factsHtml(facts) : '',
    action ? actionHtml(action, letterhead) : '',
    ...closing.map((line) => paragraph(escaped(line))),
  ].join('')
  return {
    subject: subject.replaceAll(/\s+/g, ' '),
    text: `${parts.filter(Boolean).join('\n\n')}\n`,
    html: letterhead ? letterPage(html, letterhead) : plainPage(html),
  }
}
