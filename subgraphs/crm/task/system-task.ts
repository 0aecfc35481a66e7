import { recordsOf } from '../../kernel/record/records-of.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { task } from './task.record.ts'
import type { Task } from './task.ts'

/** Creates a task that follows from a rule of another record, in the transaction of its change. */
export const createTask = (ctx: RequestContext, values: Partial<Task>): Promise<Task> =>
  recordsOf(task).create(unrestricted(ctx), values)
