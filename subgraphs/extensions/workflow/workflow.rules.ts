import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { requireRightToActAs } from '../../identity/public.ts'
import { readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mappingProblems } from '../../kernel/template/mapping.ts'
import { stepsMax } from './bounds.ts'
import { fieldsOfRecord } from './condition-scope.ts'
import type { NamedTypes } from '../custom-object/named-objects.ts'
import { unknownObject } from '../extended-type.ts'
import { objectNamed, shapeIn } from './objects.ts'
import { schemaProblem } from '../schema-problem.ts'
import { stepGraphProblems } from './step-graph.ts'
import { stepTypeOf } from './steps/all.ts'
import { problemAt, type Config } from './steps/step-type.ts'
import { triggerProblems } from './trigger.ts'
import type { WorkflowStep } from './workflow-step.ts'
import type { Workflow } from './workflow.ts'

const stepsCharactersMax = 262_144
const controlTypes: ReadonlySet<string> = new Set(['BRANCH', 'LOOP', 'DELAY', 'APPROVAL'])

const ajv = new Ajv({ allErrors: false, strict: false })
const compiled = new Map<string, ValidateFunction>()

function schemaError(type: WorkflowStep['type'], config: unknown): ErrorObject | null {
  let validate = compiled.get(type)
  if (!validate) compiled.set(type, (validate = ajv.compile(stepTypeOf(type).schema)))
  return validate(config) ? null : validate.errors![0]!
}

async function stepProblems(
  ctx: RequestContext<'outbound'>,
  next: Workflow,
  step: WorkflowStep,
  path: string,
): Promise<FieldProblem[]> {
  const own = `${path}.config`
  const error = schemaError(step.type, step.config)
  if (error) return [schemaProblem(error, own)]
  const problems: FieldProblem[] = mappingProblems(step.config, own)
  if (step.branches !== null && step.type !== 'BRANCH')
    problems.push(problemAt(`${path}.branches`, 'NOT_ALLOWED', 'must be null for this type of step'))
  if (step.onError === 'RETRY' && controlTypes.has(step.type))
    problems.push(problemAt(`${path}.onError`, 'NOT_ALLOWED', 'must be FAIL or CONTINUE for this type of step'))
  if (problems.length > 0) return problems
  const check = { ctx, step, config: step.config as Config, path: own, triggerObject: objectNamed(next.triggerEntity) }
  return (await stepTypeOf(step.type).problems?.(check)) ?? []
}

/** What is wrong with the steps: with each of them, and with how they follow each other. */
export async function stepsProblems(ctx: RequestContext<'outbound'>, next: Workflow): Promise<FieldProblem[]> {
  const { steps } = next
  if (JSON.stringify(steps).length > stepsCharactersMax)
    return [problemAt('steps', 'TOO_LONG', `must have at most ${stepsCharactersMax} characters as JSON`)]
  const problems: FieldProblem[] = []
  for (const [index, step] of steps.entries()) {
    problems.push(...(await stepProblems(ctx, next, step, `steps.${index}`)))
    if (problems.length >= stepsMax) break
  }
  return [...problems, ...stepGraphProblems(steps)]
}

const naming: ReadonlySet<string> = new Set(['CUSTOM_ACTION', 'FUNCTION'])

/** What steps name that does not exist. In the transaction of the change, so that it is not deleted meanwhile. */
export async function namedProblems(ctx: RequestContext, next: Workflow): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const [index, step] of next.steps.entries())
    if (naming.has(step.type))
      problems.push(...(await stepProblems(ctx as RequestContext<'outbound'>, next, step, `steps.${index}`)))
  return problems
}

const differs = (next: Workflow, previous: Workflow | null, ...names: (keyof Workflow)[]): boolean =>
  !previous || names.some((name) => !isSameValue(next[name], previous[name]))

/** The types of records that a workflow names, by their paths. The settings may not be checked yet. */
export const namedTypes = ({ triggerEntity, steps }: Pick<Workflow, 'triggerEntity' | 'steps'>): NamedTypes => [
  ...(triggerEntity === null ? [] : [['triggerEntity', triggerEntity] as const]),
  ...steps.flatMap(({ config }, index) =>
    isJsonObject(config) && typeof config['object'] === 'string'
      ? [[`steps.${index}.config.object`, config['object']] as const]
      : [],
  ),
]

/** With the latest definitions if the workflow names a custom object that this process does not know: another may have created it a moment ago. */
async function knowingNamed(ctx: RequestContext, next: Workflow): Promise<RequestContext> {
  const isUnknown = ([, type]: NamedTypes[number]): boolean => {
    const object = objectNamed(type)
    return object !== null && shapeIn(ctx.shapes, object) === null
  }
  return namedTypes(next).some(isUnknown) ? withLatestExtensions(ctx) : ctx
}

/** The custom object of a trigger must exist, with the fields that the trigger names. */
function triggerObjectProblems({ shapes }: RequestContext, next: Workflow): FieldProblem[] {
  const object = objectNamed(next.triggerEntity)
  if (!object || object.customName === null) return []
  const shape = shapeIn(shapes, object)
  if (!shape) return [unknownObject('triggerEntity')]
  const fields = next.triggerType === 'FIELD_CHANGED' ? (next.triggerConfig as { fields: string[] }).fields : []
  return fields.flatMap((name, index) =>
    shape.columns.byName.has(name)
      ? []
      : [problemAt(`triggerConfig.fields.${index}`, 'UNKNOWN_FIELD', `must be a field of ${object.name}`)],
  )
}

/** What is wrong with a workflow. What has not changed is not looked at again: what it names may have been deleted since. */
export async function workflowProblems(
  given: RequestContext,
  next: Workflow,
  previous: Workflow | null,
): Promise<FieldProblem[]> {
  const ctx = next.deletedAt === null ? await knowingNamed(given, next) : given
  const isTriggerChanged = differs(next, previous, 'triggerType', 'triggerEntity', 'triggerConfig')
  if (isTriggerChanged) {
    const problems = triggerProblems(next)
    if (problems.length === 0) problems.push(...triggerObjectProblems(ctx, next))
    if (problems.length > 0) return problems
  }
  if (next.status === 'ACTIVE' && next.steps.length === 0)
    return [problemAt('steps', 'REQUIRED', 'must have at least one step while the workflow is ACTIVE')]
  const problems: FieldProblem[] = []
  if (isTriggerChanged || differs(next, previous, 'conditions', 'logic')) {
    const { conditions, logic } = next
    const fields = fieldsOfRecord(objectNamed(next.triggerEntity), ctx.shapes, ctx.caller)
    problems.push(...conditionProblems({ conditions, logic }, fields))
  }
  if (isTriggerChanged || differs(next, previous, 'steps'))
    problems.push(...(await stepsProblems(ctx as RequestContext<'outbound'>, next)))
  return problems
}

/** Whether a new version of the steps begins. */
export const isNewVersion = (next: Partial<Workflow>, previous: Workflow): boolean =>
  (next.steps !== undefined && !isSameValue(next.steps, previous.steps)) ||
  (next.runAsUserId !== undefined && next.runAsUserId !== previous.runAsUserId)

type Program = Partial<Pick<Workflow, 'runAsUserId' | 'triggerEntity' | 'steps'>>

/** The scopes of what a workflow reads and does. */
function scopesOf({ triggerEntity, steps }: Program): string[] {
  const object = objectNamed(triggerEntity)
  const ofSteps = (steps ?? []).flatMap(({ type, config }) =>
    isJsonObject(config) ? stepTypeOf(type).scopes(config, object) : [],
  )
  return [...(object ? [readScopeOfObject(object.object)] : []), ...ofSteps]
}

/**
 * A workflow acts as its run-as user, so whoever decides what it does gets the rights of that user; and it does nothing for which the
 * credential that writes it lacks the scope. Takes the workflow as it is and as it will be.
 */
export async function requireRightToProgram(ctx: RequestContext, ...programs: readonly Program[]): Promise<void> {
  requireActingScopes(ctx.caller, programs.flatMap(scopesOf))
  const userIds = programs.map(({ runAsUserId }) => runAsUserId)
  for (const userId of new Set(userIds)) if (userId) await requireRightToActAs(ctx, userId)
}
