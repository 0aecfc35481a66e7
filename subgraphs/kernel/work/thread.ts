import { summaryOf } from '../language-model/extractive-summary.ts'
import type { MailTemplate, RenderedMail } from '../template/render-mail.ts'
import { serveTasks } from './serve-tasks.ts'

/** Tasks that may take more than 20 ms of CPU for one request. Large libraries are loaded by the first task that needs them. */
const tasks = {
  summarize: summaryOf,
  renderMail: async (template: MailTemplate): Promise<RenderedMail> =>
    (await import('../template/render-mail.ts')).renderMail(template),
}
export type KernelTasks = typeof tasks

serveTasks(tasks)
