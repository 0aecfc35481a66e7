import { summaryOf } from '../language-model/extractive-summary.ts'
import { serveTasks } from './serve-tasks.ts'

/** Everything that may take more than 20 ms of CPU on behalf of a request. */
const tasks = { summarize: summaryOf }
export type KernelTasks = typeof tasks

serveTasks(tasks)
