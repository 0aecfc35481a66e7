import { summaryOf } from '../language-model/extractive-summary.ts'
import { serveTasks } from './serve-tasks.ts'

/** Tasks that may take more than 20 ms of CPU for one request. */
const tasks = { summarize: summaryOf }
export type KernelTasks = typeof tasks

serveTasks(tasks)
