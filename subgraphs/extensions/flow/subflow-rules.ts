import type { FieldProblem } from '../../kernel/errors.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { flowDepthMax } from './bounds.ts'
import { problemAt } from './elements/element-type.ts'
import { subflowsOf } from './flow.rules.ts'
import type { Flow } from './flow.ts'

type Known = Pick<Flow, 'apiName' | 'type' | 'elements'>

/** How many flows are inside one another, the flow itself included; null if one of them contains itself. */
function depthOf(flow: Known, flows: ReadonlyMap<string, Known>, above: readonly string[], budget: { left: number }) {
  if (above.includes(flow.apiName) || --budget.left < 0) return null
  if (above.length >= flowDepthMax) return flowDepthMax + 1
  let deepest = 1
  for (const name of new Set(subflowsOf(flow).map(([, apiName]) => apiName))) {
    const inner = flows.get(name)
    if (!inner) continue
    const depth: number | null = depthOf(inner, flows, [...above, flow.apiName], budget)
    if (depth === null) return null
    deepest = Math.max(deepest, 1 + depth)
  }
  return deepest
}

/** Flows that a search looks at; many ways lead to the same ones. */
const visitsMax = 20_000

/** The flows that a flow runs exist, can be run without a user if it is, and are not inside themselves. */
export const subflowsFit: SerializedRule<Flow> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt &&
    (!previous ||
      next.type !== previous.type ||
      next.status !== previous.status ||
      !isSameValue(subflowsOf(next), subflowsOf(previous))),
  async enforce({ db, caller }, next) {
    const rows = await db.query<Known & Record<string, unknown>>(
      `select api_name as "apiName", type, jsonb_path_query_array(elements, '$[*] ? (@.type == "SUBFLOW")') as elements
       from extensions.flow where organization_id = $1 and id <> $2 and deleted_at is null`,
      [caller.organizationId, next.id],
    )
    const flows = new Map<string, Known>(rows.map((row) => [row.apiName, row]))
    flows.set(next.apiName, next)
    const problems: FieldProblem[] = []
    for (const [path, name] of subflowsOf(next)) {
      const inner = flows.get(name)
      if (!inner)
        problems.push(problemAt(path, 'UNKNOWN_REFERENCE', 'must be the apiName of a flow of the organization'))
      else if (next.type === 'AUTOLAUNCHED' && inner.type === 'SCREEN')
        problems.push(problemAt(path, 'NOT_ALLOWED', 'must be a flow of the type AUTOLAUNCHED, as this one is'))
    }
    if (next.type === 'SCREEN')
      for (const { apiName, type, elements } of rows)
        if (type === 'AUTOLAUNCHED' && subflowsOf({ elements }).some(([, name]) => name === next.apiName))
          problems.push(problemAt('type', 'NOT_ALLOWED', `must be AUTOLAUNCHED, because the flow ${apiName} runs it`))
    if (problems.length > 0) return problems
    // A flow above may become too deep by what this one contains.
    const budget = { left: visitsMax }
    for (const flow of [next, ...rows]) {
      const depth = depthOf(flow, flows, [], budget)
      if (depth === null)
        return [problemAt('elements', 'FLOW_RECURSION', 'must not run the flow itself, also not by other flows')]
      if (depth > flowDepthMax)
        return [problemAt('elements', 'TOO_DEEP', `must have at most ${flowDepthMax} flows inside one another`)]
    }
    return []
  },
}
