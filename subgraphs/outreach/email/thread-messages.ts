import { redact } from '../../kernel/record/field-security.ts'
import { limitReads } from '../../kernel/record/limit-reads.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { emailMessage } from './email.record.ts'
import type { Email } from './email.ts'

const messagesMax = 200
const threadsMax = 20

/** The first mails of a thread that the caller sees, oldest first. */
export async function messagesOfThread(ctx: RequestContext, threadId: string): Promise<Email[]> {
  limitReads(ctx, 'messages', threadsMax, `At most ${threadsMax} threads of one request can be read with their mails.`)
  const predicate = new TenantPredicate(ctx.caller)
  const visible = predicate.live(emailMessage, 't')
  const columns = emailMessage.columns.shown
    .filter(({ internal }) => !internal)
    .map((column) => `${column.sql('t')} as "${column.name}"`)
  const id = predicate.values.add(threadId)
  const rows = await ctx.db.query<Email>(
    `select ${columns.join(', ')} from ${emailMessage.table} t where t.thread_id = ${id} and ${visible}
     order by t.created_at, t.id limit ${messagesMax}`,
    predicate.values.list,
    'LIST',
  )
  ctx.answered?.records(emailMessage, rows)
  const shape = shapeFor(ctx, emailMessage)
  return rows.map((row) => redact(ctx.caller, shape, row))
}
