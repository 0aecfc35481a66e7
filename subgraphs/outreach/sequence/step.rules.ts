import type { FieldProblem } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { templateProblemsOf } from '../../kernel/template/parse-template.ts'
import type { SequenceStepType } from './sequence.enumerations.ts'
import type { SequenceStep } from './sequence-step.ts'

/** The fields that not every type of step uses. */
const special = [
  'templateId',
  'subject',
  'bodyHtml',
  'bodyText',
  'replyInThread',
  'variants',
  'task',
  'condition',
  'webhookUrl',
] as const
type Special = (typeof special)[number]

const used: Readonly<Record<SequenceStepType, readonly Special[]>> = {
  EMAIL: ['templateId', 'subject', 'bodyHtml', 'replyInThread', 'variants'],
  TASK: ['task'],
  CALL: ['task'],
  SMS: ['bodyText', 'task'],
  SOCIAL: ['bodyText', 'task'],
  WAIT: [],
  CONDITION: ['condition'],
  WEBHOOK: ['webhookUrl'],
}

/** What a step of the type cannot do without; a mail has rules of its own. */
const required: Readonly<Partial<Record<SequenceStepType, Special>>> = {
  TASK: 'task',
  CALL: 'task',
  SMS: 'bodyText',
  SOCIAL: 'bodyText',
  CONDITION: 'condition',
  WEBHOOK: 'webhookUrl',
}

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== false && value !== undefined

const isBlank = (text: string | null): boolean => text === null || text.trim() === ''

const requires = (path: string, message: string): FieldProblem => ({ path, code: 'REQUIRED', message })

function fieldProblems(step: SequenceStep): FieldProblem[] {
  const { type } = step
  const unused = special.filter((name) => isSet(step[name]) && !used[type].includes(name))
  const problems = unused.map((path): FieldProblem => ({
    path,
    code: 'NOT_ALLOWED',
    message: `${path} must be absent in a step of the type ${type}.`,
  }))
  const needed = required[type]
  if (needed && (!isSet(step[needed]) || (needed === 'bodyText' && isBlank(step.bodyText))))
    problems.push(requires(needed, `${needed} is required in a step of the type ${type}.`))
  const { condition } = step
  if (type === 'CONDITION' && condition && condition.onTrueStepId === null && condition.onFalseStepId === null)
    problems.push(requires('condition.onTrueStepId', 'condition.onTrueStepId or condition.onFalseStepId is required.'))
  if (type === 'WAIT' && delayHoursOf(step) === 0)
    problems.push(requires('delayHours', 'delayDays or delayHours must be greater than 0 in a step of the type WAIT.'))
  return problems
}

export const delayHoursOf = ({ delayDays, delayHours }: Pick<SequenceStep, 'delayDays' | 'delayHours'>): number =>
  delayDays * 24 + delayHours

/** Exactly one of a template, a text or variants makes the mail. */
function mailProblems({ type, templateId, subject, bodyHtml, variants }: SequenceStep): FieldProblem[] {
  if (type !== 'EMAIL') return []
  const sources = [templateId !== null, bodyHtml !== null, variants.length > 0].filter(Boolean).length
  const rule = 'exactly one of templateId, bodyHtml and variants'
  if (sources === 0) return [requires('bodyHtml', `A step of the type EMAIL must have ${rule}.`)]
  if (sources > 1)
    return [{ path: 'bodyHtml', code: 'NOT_ALLOWED', message: `A step of the type EMAIL must have ${rule}.` }]
  if (bodyHtml !== null) {
    if (isBlank(bodyHtml)) return [requires('bodyHtml', 'bodyHtml must not be empty.')]
    return isBlank(subject) ? [requires('subject', 'subject is required with bodyHtml.')] : []
  }
  if (subject !== null) {
    const message = 'subject must be absent with templateId and with variants, which have subjects of their own.'
    return [{ path: 'subject', code: 'NOT_ALLOWED', message }]
  }
  return variantProblems(variants)
}

function variantProblems(variants: SequenceStep['variants']): FieldProblem[] {
  const ids = new Set<string>()
  const repeated = variants.flatMap(({ id }, index): FieldProblem[] => {
    const path = `variants.${index}.id`
    if (ids.has(id)) return [{ path, code: 'NOT_UNIQUE', message: `${path} must be unique in the step.` }]
    ids.add(id)
    return []
  })
  if (variants.length === 0 || variants.some(({ weight }) => weight > 0)) return repeated
  return [...repeated, requires('variants.0.weight', 'At least one variant must have a weight greater than 0.')]
}

/** The templates of a step by their paths. */
function sourcesOf({ subject, bodyHtml, bodyText, variants }: SequenceStep): ReadonlyMap<string, string | null> {
  return new Map<string, string | null>([
    ['subject', subject],
    ['bodyHtml', bodyHtml],
    ['bodyText', bodyText],
    ...variants.flatMap((variant, index): [string, string][] => [
      [`variants.${index}.subject`, variant.subject],
      [`variants.${index}.bodyHtml`, variant.bodyHtml],
    ]),
  ])
}

/** Every changed template must be one within its bounds. */
export function stepTemplateProblems(
  { caller }: RequestContext,
  next: SequenceStep,
  previous: SequenceStep | null,
): Promise<FieldProblem[]> {
  const before = new Set(previous ? sourcesOf(previous).values() : [])
  const changed = [...sourcesOf(next)].filter(
    (entry): entry is [string, string] => entry[1] !== null && !before.has(entry[1]),
  )
  return templateProblemsOf(caller.organizationId, changed)
}

/** The characters of everything that a step says. */
export function textLengthOf(step: SequenceStep): number {
  const texts = [...sourcesOf(step).values()].reduce((sum, source) => sum + (source?.length ?? 0), 0)
  return texts + JSON.stringify([step.task, step.condition, step.metadata, step.customFields]).length
}

export const stepProblems = (next: SequenceStep): FieldProblem[] => [...fieldProblems(next), ...mailProblems(next)]
