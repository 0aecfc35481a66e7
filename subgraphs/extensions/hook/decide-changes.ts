import { requireDepth } from '../../kernel/automation/depth.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Origin } from '../../kernel/context.ts'
import type { HookDecision, HookedChange, HookOperation } from '../../kernel/extension/extension.ts'
import type { Outcome } from '../../kernel/outbound/external-calls.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isSettable, typedValues } from '../../kernel/record/typed-values.ts'
import type { Services } from '../../kernel/request.ts'
import { HookFailure, resultsOf, type HookResult } from './answer.ts'
import { callCharactersMax, partsAtOnce, pauseMs, recordsMax } from './bounds.ts'
import { callHook } from './call-hook.ts'
import { forgetFailures, readHookStates, recordFailure, type HookStates } from './hook-failures.ts'
import { hookCalls } from './hook-metrics.ts'
import type { StoredHook } from './stored-hook.ts'

type Fields = Readonly<Record<string, unknown>>

/** A change on its way through the hooks. */
interface Decided {
  readonly change: HookedChange
  changes: Fields
  end: Outcome | null
}

export interface HookRun {
  readonly services: Services
  readonly organizationId: string
  readonly depth: number
  /** What makes the changes; null for a client. */
  readonly origin: Origin | null
  readonly shape: RecordShape
  readonly objectType: string
  /** In milliseconds of `performance.now`. */
  readonly endsAt: number
}

const ended = (value: HookDecision): Outcome => ({ value })

/** Calls the hooks one after another, each once for all changes that no hook before it has refused. */
export async function decideChanges(
  run: HookRun,
  hooks: readonly StoredHook[],
  changes: readonly HookedChange[],
): Promise<Outcome[]> {
  requireDepth(run.depth)
  const functions = hooks.flatMap((hook) => hook.function ?? [])
  const ids = hooks.map(({ id }) => id)
  const states = await readHookStates(run.services, run.organizationId, ids, functions)
  const all = changes.map((change): Decided => ({ change, changes: {}, end: null }))
  refuseOwn(run, states, hooks, all)
  for (const hook of hooks) {
    const open = all.filter(({ change, end }) => end === null && hook.operations.includes(change.operation))
    const groups = Map.groupBy(open, ({ change }) => change.operation)
    for (const [operation, group] of groups) await decideGroup(run, states, hook, operation, group)
  }
  return all.map(({ end, changes: made }) => end ?? ended({ changes: made }))
}

/** A function that decided on its own change would wait for itself until its timeout. */
function refuseOwn(
  { origin }: HookRun,
  { functions }: HookStates,
  hooks: readonly StoredHook[],
  all: readonly Decided[],
): void {
  if (origin?.kind !== 'FUNCTION') return
  for (const hook of hooks) {
    if (hook.function === null || functions.get(hook.function)?.id !== origin.id) continue
    const message = `The function ${hook.function} decides on this change as the hook ${hook.name}, so it cannot make it.`
    for (const one of all)
      if (hook.operations.includes(one.change.operation))
        one.end ??= { error: new Refusal('HOOK_RECURSION', message, { hook: hook.name }) }
  }
}

/** One hook on changes of one kind. */
async function decideGroup(
  run: HookRun,
  states: HookStates,
  hook: StoredHook,
  operation: HookOperation,
  group: readonly Decided[],
): Promise<void> {
  const { services, organizationId } = run
  const startedAt = performance.now()
  const observe = (outcome: string): void =>
    hookCalls.observe(
      { kind: hook.function === null ? 'url' : 'function', mode: hook.failureMode, outcome },
      (performance.now() - startedAt) / 1000,
    )
  const failing = states.failing.get(hook.id)
  const pausedMs = failing?.pausedUntil ? Date.parse(failing.pausedUntil) - services.clock.now().getTime() : 0
  if (pausedMs > 0) {
    observe('skipped')
    const retryAfter = Math.ceil(Math.min(pausedMs, pauseMs) / 1000)
    return fail(hook, group, new HookFailure('Too many calls in a row have failed.', { isCounted: false, retryAfter }))
  }
  const failures: HookFailure[] = []
  const parts = partsOf(run, hook, operation, group)
  let at = 0
  const work = async (): Promise<void> => {
    for (let part = parts[at++]; part; part = parts[at++]) failures.push(...(await decidePart(run, states, hook, part)))
  }
  await Promise.all(Array.from({ length: Math.min(partsAtOnce, parts.length) }, work))
  const counted = failures.find(({ options }) => options.isCounted !== false)
  if (counted) await recordFailure(services, organizationId, hook.id, counted.message)
  else if (failing && failures.length === 0) await forgetFailures(services, organizationId, hook.id)
  observe(failures.length > 0 ? 'failed' : 'decided')
}

interface Part {
  readonly group: readonly Decided[]
  readonly body: string
}

/** The calls of one hook: as many records in each as it may get. */
function partsOf(
  { objectType, depth }: HookRun,
  hook: StoredHook,
  operation: HookOperation,
  group: readonly Decided[],
): Part[] {
  const kind = hook.function === null ? 'url' : 'function'
  const parts: { group: Decided[]; texts: string[]; length: number }[] = []
  for (const one of group) {
    const text = recordText(operation, one)
    let part = parts.at(-1)
    const isFull =
      part && (part.group.length >= recordsMax[kind] || part.length + text.length > callCharactersMax[kind])
    if (!part || isFull) parts.push((part = { group: [], texts: [], length: 0 }))
    part.group.push(one)
    part.texts.push(text)
    part.length += text.length + 1
  }
  const head = JSON.stringify({ hook: hook.name, objectType, operation, depth }).slice(0, -1)
  return parts.map(({ group: members, texts }) => ({ group: members, body: `${head},"records":[${texts.join(',')}]}` }))
}

const recordText = (operation: HookOperation, { change, changes }: Decided): string =>
  JSON.stringify({
    id: change.id,
    values: change.values,
    next: operation === 'DELETE' ? null : change.nextWith(changes),
    previous: change.previous,
  })

/** The failures of one call. */
async function decidePart(
  run: HookRun,
  states: HookStates,
  hook: StoredHook,
  { group, body }: Part,
): Promise<HookFailure[]> {
  const { services, organizationId, depth, endsAt } = run
  try {
    const timeoutMs = Math.floor(Math.min(hook.timeoutMs, endsAt - performance.now()))
    if (timeoutMs < 1) throw new HookFailure('The hooks of the change have taken too long.', { isCounted: false })
    const answer = await callHook(services, states, hook, { organizationId, depth, timeoutMs, body })
    const results = resultsOf(answer, group.length)
    return group.flatMap((one, index) => applied(run, hook, one, results[index]!))
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error
    fail(hook, group, error)
    return [error]
  }
}

/** Takes what a hook says of one record. */
function applied({ shape }: HookRun, hook: StoredHook, one: Decided, result: HookResult): HookFailure[] {
  const { isRejected, message, field, changes } = result
  const { operation } = one.change
  if (isRejected) {
    one.end = ended({ rejection: { hook: hook.name, message, field } })
    return []
  }
  const wrong = Object.keys(changes).find((name) => operation === 'DELETE' || !isSettable(shape, name, operation))
  if (wrong !== undefined) {
    const failure = new HookFailure(
      `The answer is not valid: a hook cannot change ${wrong.slice(0, 100)} on ${operation}.`,
    )
    fail(hook, [one], failure)
    return [failure]
  }
  const checked = typedValues(shape, changes)
  if ('problems' in checked) {
    one.end = ended({ problems: checked.problems.map((problem) => ({ ...problem, hook: hook.name })) })
    return []
  }
  one.changes = merged(one.changes, checked.values)
  return []
}

/** A later hook changes only the custom fields that it names. */
function merged(before: Fields, after: Fields): Fields {
  const [one, other] = [before.customFields, after.customFields] as (Fields | null | undefined)[]
  return { ...before, ...after, ...(one && other && { customFields: { ...one, ...other } }) }
}

/** What becomes of changes that a hook could not decide on. */
function fail({ name, failureMode }: StoredHook, group: readonly Decided[], failure: HookFailure): void {
  if (failureMode === 'FAIL_OPEN') return
  const { retryAfter = 1 } = failure.options
  const message = `The hook ${name} cannot decide at the moment; retry in ${retryAfter} s.`
  for (const one of group) one.end ??= { error: new Refusal('HOOK_UNAVAILABLE', message, { retryAfter, hook: name }) }
}
