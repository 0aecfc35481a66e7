import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { loopDepthMax, stepIdPattern } from './bounds.ts'
import type { WorkflowStep } from './workflow-step.ts'

interface Way {
  readonly path: string
  readonly to: unknown
}

const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)

/** The ways out of a step that stay in its path; the body of a loop is a path of its own. */
function waysOf({ type, next, branches, config }: WorkflowStep, path: string): Way[] {
  const ways: Way[] = [{ path: `${path}.next`, to: next }]
  if (type === 'BRANCH' && Array.isArray(branches))
    for (const [index, branch] of branches.entries())
      ways.push({ path: `${path}.branches.${index}.next`, to: member(branch, 'next') ?? null })
  if (type === 'APPROVAL') ways.push({ path: `${path}.config.onRejected`, to: member(config, 'onRejected') ?? null })
  return ways.filter(({ to }) => to !== null)
}

/**
 * What is wrong with how the steps follow each other: ids that are not unique, ways that lead nowhere, steps that no way reaches, and ways into the body of a
 * loop or out of it. Going back is allowed: the number of executed steps of a run is limited.
 */
export function stepGraphProblems(steps: readonly WorkflowStep[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (path: string, code: string, rule: string) => {
    problems.push({ path, code, message: `${path} ${rule}.` })
  }
  const indexes = new Map<string, number>()
  for (const [index, { id }] of steps.entries()) {
    const path = `steps.${index}.id`
    if (!stepIdPattern.test(id))
      refuse(path, 'WRONG_FORMAT', 'must be a letter, then letters, digits and underscores, at most 48')
    else if (indexes.has(id)) refuse(path, 'NOT_UNIQUE', 'must be unique in the workflow')
    else indexes.set(id, index)
  }
  for (const [index, step] of steps.entries()) {
    const body = step.type === 'LOOP' ? [{ path: `steps.${index}.config.body`, to: member(step.config, 'body') }] : []
    for (const { path, to } of [...waysOf(step, `steps.${index}`), ...body])
      if (typeof to !== 'string' || !indexes.has(to))
        refuse(path, 'UNKNOWN_STEP', 'must be the id of a step of the workflow')
  }
  if (problems.length > 0 || steps.length === 0) return problems

  /** The loop in whose body a step is; null outside of all. */
  const loopOf = new Map<string, string | null>()
  const visit = (start: string, loop: string | null, from: string, depth: number): void => {
    if (depth > loopDepthMax)
      return refuse(from, 'TOO_DEEP', `must have at most ${loopDepthMax} loops inside one another`)
    const waiting = [{ id: start, from }]
    for (let way = waiting.pop(); way; way = waiting.pop()) {
      const known = loopOf.get(way.id)
      if (known !== undefined) {
        if (known !== loop) refuse(way.from, 'LOOP_BODY_SHARED', 'must not lead into the body of a loop or out of it')
        continue
      }
      loopOf.set(way.id, loop)
      const index = indexes.get(way.id)!
      const step = steps[index]!
      for (const { path, to } of waysOf(step, `steps.${index}`)) waiting.push({ id: to as string, from: path })
      if (step.type === 'LOOP')
        visit(member(step.config, 'body') as string, step.id, `steps.${index}.config.body`, depth + 1)
    }
  }
  visit(steps[0]!.id, null, 'steps.0.id', 0)
  for (const [index, { id }] of steps.entries())
    if (!loopOf.has(id)) refuse(`steps.${index}.id`, 'NOT_REACHABLE', 'must be a step that another one leads to')
  return problems
}
