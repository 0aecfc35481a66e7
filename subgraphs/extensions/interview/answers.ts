import { readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { readOne } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { valuesCharactersMax } from '../flow/bounds.ts'
import { componentOf } from '../flow/elements/components.ts'
import { problemAt, type Screen, type ScreenField, type Values } from '../flow/elements/element-type.ts'
import type { StoredInterview } from './interview-store.ts'
import { isShownTo, shownScreen } from './interview.reads.ts'
import { objectNamed, shapeIn } from '../workflow/objects.ts'

/** An object of a request, or its problem. */
export function givenObject(given: unknown, path: string): Values {
  const value = given ?? {}
  if (!isJsonObject(value)) throw invalid(problemAt(path, 'WRONG_TYPE', 'must be an object'))
  if (JSON.stringify(value).length > valuesCharactersMax)
    throw invalid(problemAt(path, 'TOO_LONG', `must have at most ${valuesCharactersMax} characters as JSON`))
  return value
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Whether the caller sees the record. */
async function sees(ctx: RequestContext, object: string | null, id: string): Promise<boolean> {
  const named = objectNamed(object)
  const shape = named && shapeIn(ctx.shapes, named)
  if (!named || !shape) return false
  requireActingScopes(ctx.caller, [readScopeOfObject(named.object)])
  return (await readOne(ctx, shape, id)) !== null
}

async function answerOf(
  ctx: RequestContext,
  field: ScreenField,
  given: unknown,
): Promise<{ readonly value: unknown } | { readonly code: string; readonly rule: string }> {
  const component = componentOf(field.type)
  if (isEmpty(given) || (Array.isArray(given) && given.length === 0))
    return field.required ? { code: 'REQUIRED', rule: 'is required' } : { value: null }
  const value = component.parse(field, given)
  if (value === undefined) return { code: 'WRONG_VALUE', rule: component.rule(field) }
  if (field.type === 'LOOKUP' && !(await sees(ctx, field.object, value as string)))
    return { code: 'UNKNOWN_REFERENCE', rule: component.rule(field) }
  return { value }
}

/** The values of a screen as its fields take them. Refuses others with the screen, whose fields say what is wrong. */
export async function checkedAnswers(ctx: RequestContext, interview: StoredInterview, given: unknown): Promise<Values> {
  const screen = interview.screen!
  const values = givenObject(given, 'input.values')
  const problems: FieldProblem[] = []
  const answers: Record<string, unknown> = {}
  const fields: ScreenField[] = []
  for (const field of screen.fields) {
    const { name, type } = field
    if (type === 'DISPLAY_TEXT') {
      fields.push(field)
      continue
    }
    const own = Object.hasOwn(values, name) ? values[name] : null
    const answer = await answerOf(ctx, field, own)
    if ('value' in answer) {
      answers[name] = answer.value
      fields.push({ ...field, value: answer.value })
    } else {
      const problem = problemAt(`input.values.${name}`, answer.code, answer.rule)
      problems.push(problem)
      fields.push({ ...field, value: own ?? null, error: `${field.label.slice(0, 200)} ${answer.rule}.` })
    }
  }
  for (const name of Object.keys(values))
    if (
      !Object.hasOwn(answers, name) &&
      !screen.fields.some((field) => field.name === name && field.type !== 'DISPLAY_TEXT')
    )
      problems.push(problemAt(`input.values.${name.slice(0, 64)}`, 'UNKNOWN_FIELD', 'is not a field of the screen'))
  if (problems.length === 0) return answers
  const { message, extensions } = invalid(...problems)
  throw new Refusal('VALIDATION_FAILED', message, {
    errors: extensions['errors'] as FieldProblem[],
    screen: isShownTo(ctx.caller, interview) ? shownScreen({ ...screen, fields }) : null,
  })
}

/** The screen with what the user has entered, for going back to it. */
export const screenWith = (screen: Screen, answers: Values): Screen => ({
  ...screen,
  fields: screen.fields.map((field) =>
    Object.hasOwn(answers, field.name) ? { ...field, value: answers[field.name] } : field,
  ),
})
