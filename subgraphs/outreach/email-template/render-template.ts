import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { RenderedContent, renderMail } from '../../kernel/template/render-mail.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import type { TemplateValues } from '../../kernel/template/template-variables.ts'
import type { EmailTemplate } from './email-template.ts'
import { knownVariables } from './known-variables.ts'

const renderTask = threadTask<typeof renderMail>(import.meta.url, '../../kernel/template/render-mail', 'renderMail')

export type TemplateSource = Pick<EmailTemplate, 'subject' | 'bodyHtml' | 'bodyText' | 'variables'>

/** Renders the parts of a mail in a worker thread. A template that is too expensive is refused with 400. */
export async function renderTemplate(
  { work, caller }: RequestContext<'work'>,
  { subject, bodyHtml, bodyText, variables }: TemplateSource,
  values: TemplateValues,
): Promise<RenderedContent> {
  const declared = variables.map(({ name, required, defaultValue }) => ({ name, required, defaultValue }))
  const mail = { subject, bodyHtml, bodyText, declared, known: knownVariables, values }
  const rendered = await work.run(renderTask, mail, caller.organizationId)
  if ('problem' in rendered) throw invalid(rendered.problem)
  return rendered.content
}
