import type { Cancellation } from '../../kernel/cancellation.ts'
import { untilAborted } from '../../kernel/queue/deadline.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { threadTask, type ThreadTask } from '../../kernel/work/thread-task.ts'
import type { Adjustment } from './adjustment.ts'
import { drawsOf, simulate, type RunPart, type TaskName } from './engine/simulate.ts'
import { prepare, type Settings } from './model/simulation-input.ts'
import type { Snapshot } from './model/snapshot.ts'
import type { Computed } from './present.ts'

const taskNames = ['addDeals', 'addNewPipeline', 'summarise', 'summariseMonths', 'medianChanges'] as const

const threadTasks = Object.fromEntries(
  taskNames.map((name) => [name, threadTask(import.meta.url, './engine/tasks', name)]),
) as unknown as Readonly<Record<TaskName, ThreadTask<unknown, unknown>>>

/** Runs the parts of a simulation in worker threads, charged to the caller's organization. */
const inThreads =
  ({ work, caller }: RequestContext<'work'>, signal: AbortSignal): RunPart =>
  (name, input) =>
    untilAborted(signal, work.run(threadTasks[name], input, caller.organizationId)) as never

export interface Watch {
  readonly signal: AbortSignal
  /** Called between the parts with the share that is done, 0 to 1; it may throw to end the work. */
  readonly progress?: (share: number) => Promise<void>
}

/** The watch of a read, which ends when its client has left. */
export const watchOf = ({ cancellation }: { readonly cancellation?: Cancellation | undefined }): Watch => ({
  signal: cancellation?.signal ?? new AbortController().signal,
})

/** Runs simulations of one snapshot, one after another. Only those `withMedians` have the effect of each deal on the median. */
export async function runSimulations(
  ctx: RequestContext<'work'>,
  snapshot: Snapshot,
  wanted: readonly {
    readonly settings: Settings
    readonly adjustments: readonly Adjustment[]
    readonly withMedians: boolean
  }[],
  { signal, progress }: Watch,
): Promise<Computed[]> {
  const prepared = wanted.map(({ settings, adjustments, withMedians }) => ({
    withMedians,
    prepared: prepare(snapshot, settings, adjustments),
  }))
  const all = prepared.reduce((sum, one) => sum + drawsOf(one.prepared.input, one.withMedians), 0)
  let done = 0
  const drawn = async (count: number): Promise<void> => {
    done += count
    await progress?.(done / all)
  }
  const computed: Computed[] = []
  for (const one of prepared) {
    const run = inThreads(ctx, signal)
    const simulated = await simulate(one.prepared.input, { run, withMedians: one.withMedians, drawn })
    computed.push({ prepared: one.prepared, simulated })
  }
  return computed
}
