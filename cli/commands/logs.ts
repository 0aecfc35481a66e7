import type { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { Failure, refusedFailure } from '../failure.ts'
import { interruption } from '../interruption.ts'
import { pause } from '../pause.ts'
import { plain, plainLine } from '../plain.ts'
import type { Screen } from '../screen.ts'

interface Options {
  readonly follow?: true
  readonly limit: number
  readonly status?: string
}

interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

interface Invocation {
  readonly id: string
  readonly trigger: string
  readonly status: string
  readonly startedAt: string
  readonly durationMs: number
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null } | null
  readonly droppedLogs: number
  readonly logs: readonly { readonly at: string; readonly level: string; readonly text: string }[]
}

interface Run {
  readonly id: string
  readonly workflowId: string
  readonly status: string
  readonly createdAt: string
  readonly executedSteps: number
  readonly error: { readonly code: string; readonly message: string; readonly stepId: string | null } | null
  readonly steps: readonly {
    readonly stepId: string
    readonly type: string
    readonly status: string
    readonly attempt: number
    readonly error: { readonly code: string; readonly message: string } | null
  }[]
}

/** What a command follows. */
interface Log<T> {
  /** The latest entries, newest first, without what only a single one has. */
  readonly latest: (limit: number) => Promise<readonly T[]>
  /** Changes when there is more to show of an entry. */
  readonly stateOf: (entry: T) => string
  readonly whole: (entry: T) => Promise<T>
  readonly lines: (entry: T) => readonly string[]
}

const pollMs = 1_000
/** How many entries a turn looks at while it follows. */
const turnMax = 100

const mark = (screen: Screen, status: string): string =>
  screen.styled(
    status === 'SUCCEEDED' ? 'green' : /^(FAILED|TIMEOUT|MEMORY_LIMIT|CRASHED)$/.test(status) ? 'red' : 'yellow',
    status,
  )

/** Entries are deleted after a time, and with what they belong to. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof Failure && error.code === 'NOT_FOUND') return null
  throw error
}

/** Shows the latest entries, oldest first, and with `--follow` those that come. */
async function show<T extends { readonly id: string }>(
  { screen }: Context,
  { latest, stateOf, whole, lines }: Log<T>,
  { follow, limit }: Options,
): Promise<void> {
  const signal = interruption()
  let known = new Map<string, string>()
  let isFirst = true
  for (;;) {
    try {
      const entries = await latest(isFirst ? limit : turnMax)
      const changed = entries.filter((entry) => known.get(entry.id) !== stateOf(entry)).toReversed()
      for (const entry of changed) {
        const full = await whole(entry).catch(nullIfDeleted)
        if (full === null) continue
        screen.item(full, () => lines(full).join('\n'))
      }
      if (isFirst && entries.length === 0 && !follow) screen.note('There is nothing in the log.')
      // Entries behind the first page do not come again.
      known = new Map([
        ...[...known].slice(-10 * turnMax),
        ...entries.map((entry) => [entry.id, stateOf(entry)] as const),
      ])
      isFirst = false
    } catch (error) {
      if (isFirst || !(error instanceof Failure) || error.outcome !== 'unreachable') throw error
      screen.note(error.message)
    }
    if (!follow || signal.aborted) return
    await pause(pollMs, signal).catch(() => undefined)
    if (signal.aborted) return
  }
}

/** The invocations of a function with what it has logged. */
export async function functionLogs(context: Context, name: string, options: Options): Promise<void> {
  const { screen } = context
  const api = await apiOf(context)
  const path = `/v1/functions/${encodeURIComponent(name)}/invocations`
  const { status } = options
  await show<Invocation>(
    context,
    {
      latest: async (limit) => (await api.get<Page<Invocation>>(path, { limit, status })).data,
      stateOf: ({ status }) => status,
      whole: ({ id }) => api.get<Invocation>(`${path}/${id}`),
      lines: ({ id, trigger, status, startedAt, durationMs, error, logs, droppedLogs }) => [
        `${startedAt}  ${mark(screen, status)}  ${trigger}  ${durationMs} ms  ${screen.styled('dim', id)}`,
        ...logs.map(({ at, level, text }) => `  ${at}  ${level.padEnd(5)} ${indented(text)}`),
        ...(droppedLogs > 0 ? [`  ${droppedLogs} lines were left out`] : []),
        ...(error ? errorLines(error) : []),
      ],
    },
    options,
  )
}

/** A stack begins with what the error says, unless it was thrown without one. */
function errorLines({ name, message, stack }: NonNullable<Invocation['error']>): string[] {
  const said = `${name}: ${message}`
  return [...(stack?.startsWith(said) ? [] : [said]), ...(stack ? [stack] : [])].map((text) => `  ${indented(text)}`)
}

const indented = (text: string): string => plain(text).trimEnd().replaceAll('\n', '\n    ')

/** Names of workflows are no part of paths. */
async function workflowId(api: Api, name: string): Promise<string> {
  let cursor: string | null = null
  do {
    const query = { limit: 100, ...(cursor !== null && { cursor }) }
    const page: Page<{ id: string; name: string }> = await api.get('/v1/workflows', query)
    const found = page.data.find((one) => one.id === name || one.name === name)
    if (found) return found.id
    cursor = page.nextCursor
  } while (cursor !== null)
  throw refusedFailure('NOT_FOUND', `There is no workflow ${name}.`)
}

/** The runs of one workflow, or of all, with their steps. */
export async function workflowLogs(context: Context, name: string | undefined, options: Options): Promise<void> {
  const { screen } = context
  const api = await apiOf(context)
  const workflow = name === undefined ? undefined : await workflowId(api, name)
  const { status } = options
  await show<Run>(
    context,
    {
      latest: async (limit) =>
        (await api.get<Page<Run>>('/v1/workflow-runs', { limit, status, workflowId: workflow })).data,
      stateOf: ({ status, executedSteps }) => `${status} ${executedSteps}`,
      whole: ({ id }) => api.get<Run>(`/v1/workflow-runs/${id}`),
      lines: ({ id, workflowId, status, createdAt, error, steps }) => [
        `${createdAt}  ${mark(screen, status)}  workflow ${workflowId}  ${screen.styled('dim', id)}`,
        ...steps.map(
          (step) =>
            `  ${plainLine(step.stepId)}  ${step.type}  ${mark(screen, step.status)}${step.attempt > 1 ? `  attempt ${step.attempt}` : ''}${step.error ? `  ${plainLine(step.error.code)}: ${plainLine(step.error.message)}` : ''}`,
        ),
        ...(error ? [`  ${plainLine(error.code)}: ${plainLine(error.message)}`] : []),
      ],
    },
    options,
  )
}
