import { conditionProblems, compileStoredConditions } from '../../../kernel/condition/conditions.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { branchesMax } from '../bounds.ts'
import { fieldsOfRun, flattened } from '../condition-scope.ts'
import type { WorkflowBranch } from '../workflow-step.ts'
import { problemAt, settings, type StepType } from './step-type.ts'

export const branch: StepType = {
  type: 'BRANCH',
  schema: settings({}),
  scopes: () => [],
  isRepeatable: () => true,
  problems({ ctx, step: { branches }, path, triggerObject }) {
    const at = path.replace(/config$/, 'branches')
    if (!Array.isArray(branches) || branches.length === 0 || branches.length > branchesMax)
      return [problemAt(at, 'WRONG_VALUE', `must be a list of 1 to ${branchesMax} branches`)]
    const fields = fieldsOfRun(triggerObject, ctx.shapes, ctx.caller)
    return (branches as readonly unknown[]).flatMap((one, index) => {
      const own = `${at}.${index}`
      if (!isJsonObject(one)) return [problemAt(own, 'WRONG_TYPE', 'must be an object')]
      const unknown = Object.keys(one).find((name) => !['conditions', 'logic', 'next'].includes(name))
      if (unknown !== undefined)
        return [problemAt(`${own}.${unknown.slice(0, 64)}`, 'UNKNOWN_FIELD', 'is not one of conditions, logic, next')]
      const { conditions, logic } = one
      if (!Array.isArray(conditions) || conditions.length === 0)
        return [problemAt(`${own}.conditions`, 'REQUIRED', 'must be a list of at least one condition')]
      return conditionProblems({ conditions, logic }, fields, `${own}.conditions`)
    })
  },
  input: () => ({}),
  run({ step, scope, services, caller, record }) {
    const shapes = services.shapes.shapesOf(caller.organizationId)
    const fields = fieldsOfRun(record?.object ?? null, shapes, caller)
    const now = services.clock.now().getTime()
    const previous = isJsonObject(scope['previous']) ? scope['previous'] : null
    for (const [index, { conditions, logic, next }] of ((step.branches ?? []) as WorkflowBranch[]).entries()) {
      const meets = compileStoredConditions({ conditions, logic }, fields)
      if (meets(flattened(scope, conditions), previous, now)) return { output: { branch: index }, next: next ?? null }
    }
    return { output: { branch: null } }
  },
}
