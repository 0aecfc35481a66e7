import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { deriveTask, isOpen } from './task.derived.ts'
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
        : { operation: 'UPDATE', values: reopened, ...(await deriveTask(inner, reopened, previous)) },
    { expectedVersion },
  )
