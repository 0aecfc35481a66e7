import type { FieldProblem } from '../../kernel/errors.ts'
import { compareNumbers } from '../../kernel/json/exact-number.ts'
import type { Pipeline, PipelineStage } from './pipeline.ts'

const apiName = /^[A-Z][A-Z0-9_]{0,62}$/

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

export const pipelineProblems = (next: Pipeline, previous: Pipeline | null): FieldProblem[] => [
  ...next.stages.flatMap((stage, index) => stageProblems(stage, `stages.${index}`, next.stages.slice(0, index))),
  ...neededStages(next),
  ...(previous?.stages ?? []).flatMap((stage) => keptStage(stage, next.stages)),
  ...defaultProblems(next),
]

function stageProblems(stage: PipelineStage, path: string, before: readonly PipelineStage[]): FieldProblem[] {
  const { name, kind } = stage
  const problems: FieldProblem[] = []
  if (!apiName.test(name)) {
    const message = `${path}.name must begin with an upper-case letter and have only upper-case letters, digits and underscores.`
    problems.push(problem(`${path}.name`, 'WRONG_FORMAT', message))
  }
  if (before.some((other) => other.name === name))
    problems.push(problem(`${path}.name`, 'NOT_UNIQUE', `${path}.name must be unique in the pipeline.`))
  return [...problems, ...(kind === 'OPEN' ? openProblems(stage, path) : closedProblems(stage, path))]
}

const openProblems = ({ forecastCategory }: PipelineStage, path: string): FieldProblem[] =>
  forecastCategory === 'CLOSED'
    ? [
        problem(
          `${path}.forecastCategory`,
          'NOT_ALLOWED',
          `${path}.forecastCategory must not be CLOSED in an OPEN stage.`,
        ),
      ]
    : []

function closedProblems({ kind, probability, forecastCategory }: PipelineStage, path: string): FieldProblem[] {
  const [certain, category] = kind === 'WON' ? ([100, 'CLOSED'] as const) : ([0, 'OMITTED'] as const)
  const problems: FieldProblem[] = []
  if (compareNumbers(probability, certain) !== 0)
    problems.push(
      problem(`${path}.probability`, 'NOT_ALLOWED', `${path}.probability must be ${certain} in a ${kind} stage.`),
    )
  if (forecastCategory !== category)
    problems.push(
      problem(
        `${path}.forecastCategory`,
        'NOT_ALLOWED',
        `${path}.forecastCategory must be ${category} in a ${kind} stage.`,
      ),
    )
  return problems
}

function neededStages({ stages }: Pipeline): FieldProblem[] {
  const missing = (['OPEN', 'WON', 'LOST'] as const).filter(
    (kind) => !stages.some((stage) => stage.kind === kind && stage.isActive),
  )
  if (missing.length === 0) return []
  return [problem('stages', 'TOO_FEW', `stages must have a stage in use of each of the kinds ${missing.join(', ')}.`)]
}

/** Opportunities refer to stages by name and are open or closed by the kind, so neither may disappear or change. */
function keptStage({ name, kind }: PipelineStage, next: readonly PipelineStage[]): FieldProblem[] {
  const found = next.findIndex((stage) => stage.name === name)
  if (found === -1)
    return [
      problem('stages', 'MISSING', `stages must contain ${name}. To retire the stage, set its isActive to false.`),
    ]
  if (next[found]!.kind === kind) return []
  const path = `stages.${found}.kind`
  return [problem(path, 'NOT_ALLOWED', `${path} must stay ${kind}. Retire the stage and add another one.`)]
}

const defaultProblems = ({ isDefault, isActive }: Pipeline): FieldProblem[] =>
  isDefault && !isActive ? [problem('isActive', 'NOT_ALLOWED', 'isActive must be true in the default pipeline.')] : []

/** Problems of the values that a client sends. Another pipeline that becomes the default clears `isDefault`; a client cannot. */
export const keepsDefault = (given: Partial<Pipeline>, previous: Pipeline | null): FieldProblem[] =>
  previous?.isDefault && given.isDefault === false
    ? [problem('isDefault', 'NOT_ALLOWED', 'isDefault must stay true. Set it in another pipeline instead.')]
    : []
