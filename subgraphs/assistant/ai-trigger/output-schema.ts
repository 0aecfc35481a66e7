import { LRUCache } from 'lru-cache'
import { PayloadSchema, publishedSchema, SchemaCheck } from '../../events/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'

type Json = Readonly<Record<string, unknown>>

/** The problems of the schema of an answer; its keywords are those of custom events: scalar properties, all bounded, no references. */
export const schemaProblems = (schema: unknown): FieldProblem[] =>
  new SchemaCheck(schema).problems.map(({ path, message, ...problem }) => {
    const own = path.replace(/^schema/, 'outputSchema')
    return { ...problem, path: own, message: message.replace(path, own) }
  })

/** The names of the properties of an answer. */
export function propertiesOf(schema: unknown): ReadonlySet<string> {
  const properties = isJsonObject(schema) ? schema['properties'] : null
  return new Set(isJsonObject(properties) ? Object.keys(properties) : [])
}

/** The schema as the model gets it. */
export const schemaForModel = (schema: Json): Json => publishedSchema('answer', 'The answer.', schema)

const compiled = new LRUCache<string, PayloadSchema>({ max: 500 })

/** What is wrong with an answer, in words; null if it fits the schema. */
export function flawOfAnswer(schema: Json, answer: unknown): string | null {
  if (!isJsonObject(answer)) return 'The answer must be a JSON object.'
  const text = JSON.stringify(schema)
  let known = compiled.get(text)
  if (!known) compiled.set(text, (known = new PayloadSchema(schema)))
  const problems = known.problemsOf(answer)
  if (problems.length === 0) return null
  return problems
    .slice(0, 10)
    .map(({ message }) => message.replace('the schema of the event type', 'the schema').replace(/^data\./, ''))
    .join(' ')
}
