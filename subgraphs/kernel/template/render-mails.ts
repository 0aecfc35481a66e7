import { cleanMail, type CleanMail } from './clean-mail.ts'
import { renderMail, type MailTemplate } from './render-mail.ts'

export type RenderedForSending = CleanMail

export type RenderedMails = (
  | {
      readonly subject: string
      readonly content: RenderedForSending
      readonly missingVariables: readonly string[]
      readonly unknownVariables: readonly string[]
    }
  | { readonly problem: { readonly path: string; readonly code: string; readonly message: string } }
)[]

/** Renders several mails as they are sent. Runs in a worker thread. */
export function renderMails(mails: readonly MailTemplate[]): RenderedMails {
  return mails.map((mail) => {
    const rendered = renderMail(mail)
    if ('problem' in rendered) return rendered
    const { subject, bodyHtml, bodyText, missingVariables, unknownVariables } = rendered.content
    const content = cleanMail({ bodyHtml: bodyHtml === '' ? null : bodyHtml, bodyText })
    return { subject, content, missingVariables, unknownVariables }
  })
}
