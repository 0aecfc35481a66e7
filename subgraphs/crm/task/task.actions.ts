import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decideTask, isOpen } from './task.decision.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

const reopened = { status: 'NOT_STARTED' } as const

export const reopenTask = (ctx: RequestContext, id: string, expectedVersion: number | null): Promise<Task> =>
  change(
    ctx,
    task,
    id,
    async (previous, inner) =>
      isOpen(previous.status)
        ? { operation: 'UPDATE', values: {} }
        : { operation: 'UPDATE', values: reopened, ...(await decideTask(inner, reopened, previous)) },
    { expectedVersion },
  )
