import { Liquid, type Context, type Emitter, type Template } from 'liquidjs'
import { memoryMax, outputMax, renderMsMax, sourceMax } from './template-bounds.ts'
import { TemplateProblem } from './template-problem.ts'

const allowedTags = new Set([
  'assign',
  'break',
  'capture',
  'case',
  'comment',
  'continue',
  'cycle',
  'echo',
  'for',
  'if',
  'raw',
  'unless',
  '#',
])

export const allowedFilters: ReadonlySet<string> = new Set([
  'append',
  'capitalize',
  'downcase',
  'lstrip',
  'prepend',
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'rstrip',
  'slice',
  'split',
  'squish',
  'strip',
  'strip_html',
  'truncate',
  'truncatewords',
  'upcase',
  'url_encode',
  'escape',
  'escape_once',
  'date',
  'default',
  'abs',
  'at_least',
  'at_most',
  'ceil',
  'divided_by',
  'floor',
  'minus',
  'modulo',
  'plus',
  'round',
  'times',
  'compact',
  'concat',
  'first',
  'join',
  'last',
  'map',
  'reverse',
  'size',
  'sort',
  'uniq',
])

/** Output of a template that stops at a maximum shared by all parts and blocks of a mail. */
class BoundedEmitter implements Emitter {
  buffer = ''
  readonly #budget: { left: number }

  constructor(budget: { left: number }) {
    this.#budget = budget
  }

  write(value: unknown): void {
    const text = printedText(value)
    this.#budget.left -= text.length
    if (this.#budget.left < 0) throw new TemplateProblem('TOO_LONG', `writes more than ${outputMax} characters.`)
    this.buffer += text
  }
}

function printedText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(printedText).join('')
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number)
}

/**
 * Liquid without files and without tags that include other templates. Values are read by their own properties only, and are escaped when
 * they are written into HTML. There is no filter that skips this.
 */
export function liquidEngine({ isHtml, budget }: { isHtml: boolean; budget: { left: number } }): Liquid {
  const noFile = (): never => {
    throw new TemplateProblem('NOT_ALLOWED', 'must not include another template.')
  }
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    dynamicPartials: false,
    relativeReference: false,
    cache: false,
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: sourceMax,
    renderLimit: renderMsMax,
    memoryLimit: memoryMax,
    ...(isHtml && { outputEscape: 'escape' }),
    fs: { exists: async () => false, existsSync: () => false, readFile: noFile, readFileSync: noFile, resolve: noFile },
  })
  for (const name of Object.keys(engine.tags)) if (!allowedTags.has(name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!allowedFilters.has(name)) delete engine.filters[name]
  const { renderer } = engine
  const render = renderer.renderTemplates.bind(renderer)
  // Blocks such as `capture` render without an emitter; their output counts as well.
  renderer.renderTemplates = (templates: Template[], context: Context, emitter?: Emitter) =>
    render(templates, context, emitter ?? new BoundedEmitter(budget))
  return engine
}
