import { isExactNumber, isJsonObject, textOfNumber } from '../../kernel/json/exact-number.ts'

type Values = Readonly<Record<string, unknown>>

/** What placeholders name: the record of the event, and the answer of the model. */
export interface TemplateScope {
  readonly record: Values
  readonly output: Values
}

const placeholder = /\{\{\s*(record|output)\.([A-Za-z_][\w.]{0,100})\s*\}\}/g
const only = /^\{\{\s*(record|output)\.([A-Za-z_][\w.]{0,100})\s*\}\}$/
const brace = /\{\{|\}\}/

/** The placeholders of a text; null if it has braces that are none. */
export function placeholdersIn(text: string): { source: 'record' | 'output'; path: string }[] | null {
  const found = Array.from(text.matchAll(placeholder), ([, source, path]) => ({
    source: source as 'record' | 'output',
    path: path!,
  }))
  return brace.test(text.replaceAll(placeholder, '')) ? null : found
}

/** The field of a text that is one placeholder for a field of the record and nothing else; otherwise null. */
export function recordReference(text: string): string | null {
  const [, source, path] = only.exec(text) ?? []
  return source === 'record' ? path! : null
}

function valueAt(values: Values, path: string): unknown {
  let value: unknown = values
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null
    value = value[name]
  }
  return value ?? null
}

const filledText = (value: unknown): string => {
  if (value === null) return ''
  if (isExactNumber(value)) return textOfNumber(value)
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

/** The value of a template: that of its only placeholder as it is, otherwise a text. What is no text stands for itself. */
export function filledIn(template: unknown, scope: TemplateScope): unknown {
  if (typeof template !== 'string') return template
  const whole = only.exec(template)
  if (whole) return valueAt(scope[whole[1] as keyof TemplateScope], whole[2]!)
  return template.replaceAll(placeholder, (_, source: keyof TemplateScope, path: string) =>
    filledText(valueAt(scope[source], path)),
  )
}

export const textFilledIn = (template: unknown, scope: TemplateScope): string => filledText(filledIn(template, scope))
