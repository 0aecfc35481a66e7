import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent, fieldsChanged } from '../identity-event.ts'
import { membershipsAsTold } from '../user/user.ts'
import { actingAs } from './session.actions.ts'

/** Does what changes a person, who must be locked, and tells all its organizations what is different, if anything is. */
export async function changePerson(ctx: RequestContext, personId: string, work: () => Promise<unknown>): Promise<void> {
  const before = await membershipsAsTold(ctx.db, personId)
  await work()
  for (const record of await membershipsAsTold(ctx.db, personId)) {
    const previous = before.find(({ id }) => id === record.id)!
    const changedFields = fieldsChanged(previous, record)
    if (changedFields.length === 0) continue
    const acting = actingAs(ctx, record)
    await appendEvent(acting, { type: 'user.updated', record, previous, changedFields })
    const target = { type: 'user', id: record.id }
    await appendAudit(acting, { action: 'user.updated', target, before: previous, after: record })
  }
}
