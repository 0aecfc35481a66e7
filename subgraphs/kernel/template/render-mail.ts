import { cleanHtml, textOfHtml } from './clean-html.ts'
import { liquidEngine } from './liquid-engine.ts'
import { oneLine } from './one-line.ts'
import { parseTemplate } from './parse-template.ts'
import { outputMax } from './template-bounds.ts'
import { problemOf } from './template-problem.ts'
import { completeValues, variableProblems, type DeclaredVariable, type TemplateValues } from './template-variables.ts'

export interface MailTemplate {
  readonly subject: string
  readonly bodyHtml: string
  /** Null: the text is derived from the HTML. */
  readonly bodyText: string | null
  readonly declared: readonly DeclaredVariable[]
  /** Names that the platform gives values to, such as `contact.firstName`. */
  readonly known: readonly string[]
  readonly values: TemplateValues
}

export interface RenderedContent {
  readonly subject: string
  readonly bodyHtml: string
  readonly bodyText: string
  /** Variables that need a value and have none. */
  readonly missingVariables: readonly string[]
  /** Variables that are neither declared nor known. */
  readonly unknownVariables: readonly string[]
}

export type RenderedMail =
  | { readonly content: RenderedContent }
  | { readonly problem: { readonly path: string; readonly code: string; readonly message: string } }

/** Renders a mail. Runs in a worker thread, because a template can take long in spite of its bounds. */
export function renderMail(template: MailTemplate): RenderedMail {
  const { declared, known } = template
  const values = completeValues(template.values, declared)
  const budget = { left: outputMax }
  const missing = new Set<string>()
  const unknown = new Set<string>()
  const rendered: Record<string, string> = {}
  for (const path of ['subject', 'bodyHtml', 'bodyText'] as const) {
    const source = template[path]
    if (source === null) continue
    const engine = liquidEngine({ isHtml: path === 'bodyHtml', budget })
    try {
      const parsed = parseTemplate(engine, source)
      const found = variableProblems(engine, parsed, values, declared, known)
      for (const name of found.missing) missing.add(name)
      for (const name of found.unknown) unknown.add(name)
      rendered[path] = String(engine.renderSync(parsed.templates, values))
    } catch (error) {
      const problem = problemOf(error)
      if (!problem) throw error
      return { problem: { path, code: problem.code, message: `${path} ${problem.message}` } }
    }
  }
  const cleaned = cleanHtml(rendered['bodyHtml'] ?? '')
  if ('problem' in cleaned) {
    const { code, message } = cleaned.problem
    return { problem: { path: 'bodyHtml', code, message: `bodyHtml ${message}` } }
  }
  const bodyHtml = cleaned.html
  return {
    content: {
      subject: oneLine(rendered['subject'] ?? ''),
      bodyHtml,
      bodyText: rendered['bodyText'] ?? textOfHtml(bodyHtml),
      missingVariables: [...missing],
      unknownVariables: [...unknown],
    },
  }
}
