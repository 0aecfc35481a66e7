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

/** Time after which the mails that are left belong to another task, so that slow ones do not hold up the thread for the mails of others. */
const taskMs = 1000

function renderForSending(mail: MailTemplate): RenderedMails[number] {
  const rendered = renderMail(mail)
  if ('problem' in rendered) return rendered
  const { subject, bodyHtml, bodyText, missingVariables, unknownVariables } = rendered.content
  const content = cleanMail({ bodyHtml: bodyHtml === '' ? null : bodyHtml, bodyText })
  return { subject, content, missingVariables, unknownVariables }
}

/** Renders mails as they are sent, in their order: at least the first, and as many as there is time for. Runs in a worker thread. */
export function renderMails(mails: readonly MailTemplate[]): RenderedMails {
  const until = performance.now() + taskMs
  const rendered: RenderedMails = []
  for (const mail of mails) {
    rendered.push(renderForSending(mail))
    if (performance.now() >= until) break
  }
  return rendered
}
