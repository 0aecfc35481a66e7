import type { MailContent } from './queue-mail.ts'

export interface MailParts {
  readonly subject: string
  /** Paragraphs before the action. */
  readonly lines: readonly string[]
  /** A link to follow, or a code to type. */
  readonly action?: { readonly label: string; readonly url: string } | { readonly code: string }
  /** Paragraphs after the action. */
  readonly closing?: readonly string[]
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!)
const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`

function actionHtml(action: NonNullable<MailParts['action']>): string {
  if ('code' in action) return paragraph(`<strong style="font-size:24px;letter-spacing:2px">${action.code}</strong>`)
  const { url, label } = action
  return paragraph(`<a href="${escaped(url)}">${escaped(label)}</a><br>${escaped(url)}`)
}

/** The same content as plain text and as HTML, without images, trackers or external styles. */
export function mailContent({ subject, lines, action, closing = [] }: MailParts): MailContent {
  const actionText = action && ('code' in action ? action.code : `${action.label}:\n${action.url}`)
  const html = [
    ...lines.map((line) => paragraph(escaped(line))),
    action && actionHtml(action),
    ...closing.map((line) => paragraph(escaped(line))),
  ]
  return {
    subject: subject.replaceAll(/\s+/g, ' '),
    text: `${[...lines, actionText, ...closing].filter((part) => part !== undefined).join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:16px;color:#222;max-width:560px">${html.filter((part) => part !== undefined).join('')}</body></html>`,
  }
}
