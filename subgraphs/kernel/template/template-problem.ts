/** Why a template is refused. The message continues a sentence that begins with the name of the field. */
export class TemplateProblem extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The problem behind an error of Liquid; null for any other error, which is a defect. */
export function problemOf(error: unknown): TemplateProblem | null {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    if (cause instanceof TemplateProblem) return cause
    cause = (cause as { originalError?: unknown }).originalError
  }
  if (error instanceof RangeError) return new TemplateProblem('TOO_DEEP', 'is nested too deeply.')
  const { name, message } = error as Error
  if (!/^(?:Parse|Render|Tokenization|Assertion|UndefinedVariable|Liquid)Error/.test(name)) return null
  if (/limit exceeded/.test(message)) return new TemplateProblem('TOO_EXPENSIVE', 'takes too much time or memory.')
  const [first = ''] = message.split('\n')
  return new TemplateProblem('TEMPLATE_SYNTAX', `is not a valid template: ${first.slice(0, 200)}.`)
}
