import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { LanguageModel } from '../../kernel/language-model/language-model.ts'
import { summarize } from '../../kernel/language-model/summarize.ts'
import { flawOfAnswer, propertiesOf } from '../ai-trigger/output-schema.ts'
import type { Answered, Asked, Asking } from './answered.ts'
import { recordIn } from './fitting-input.ts'

const passagesMax = 50

const notConfigured = (message: string): Answered => ({
  output: null,
  usage: null,
  error: { code: 'MODEL_NOT_CONFIGURED', message },
})

/** The texts of a record that may say something: not ids, times and the like. */
const passagesOf = (record: Readonly<Record<string, unknown>>): string[] =>
  Object.values(record)
    .filter((value): value is string => typeof value === 'string' && /\p{L}{2,}\P{L}+\p{L}{2,}/u.test(value))
    .slice(0, passagesMax)

/**
 * What an installation without a model can answer: `summary`, the sentences of the record that say most, and properties that are called as fields of
 * the record, as copies of them. No other answer is made up.
 */
export async function localAnswer(
  model: LanguageModel,
  { outputSchema, input }: Asked,
  asking: Asking,
): Promise<Answered> {
  const record = recordIn(input)
  const names = [...propertiesOf(outputSchema)]
  const unknown = names.filter((name) => name !== 'summary' && !Object.hasOwn(record, name))
  const required = Array.isArray(outputSchema['required']) ? outputSchema['required'] : []
  const missing = unknown.filter((name) => required.includes(name))
  if (missing.length > 0 || unknown.length === names.length)
    return notConfigured(`There is no language model, and the record has no ${(missing[0] ?? names[0])!}.`)
  const output: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(record, name)) output[name] = record[name]
  let writer = 'copy-1'
  if (names.includes('summary') && !Object.hasOwn(record, 'summary')) {
    const title = [record['name'], record['subject'], record['title'], input.type].find(
      (text) => typeof text === 'string',
    )
    const text = { title: title ?? 'Request', passages: passagesOf(record) }
    const written = await summarize(model, text, asking)
    output['summary'] = bounded(written.summary, outputSchema)
    writer = written.model
  }
  const flaw = flawOfAnswer(outputSchema, output)
  if (flaw !== null) return notConfigured(`There is no language model, and a copy does not fit: ${flaw}`)
  return { output, usage: { model: writer, inputTokens: 0, outputTokens: 0 }, error: null }
}

/** A summary of at most as many characters as the schema permits. */
function bounded(summary: string, { properties }: Readonly<Record<string, unknown>>): string {
  const rule = isJsonObject(properties) ? properties['summary'] : null
  const max = isJsonObject(rule) && typeof rule['maxLength'] === 'number' ? rule['maxLength'] : null
  return max === null ? summary : Array.from(summary).slice(0, max).join('')
}
