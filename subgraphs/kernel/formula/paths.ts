import { parseFormula } from './parse.ts'
import type { Syntax } from './syntax.ts'

/** The paths that a formula names, whether there are such fields or not. Throws a `FormulaError` for a text that is no formula. */
export function pathsIn(text: string): ReadonlySet<string> {
  const paths = new Set<string>()
  const visit = (syntax: Syntax): void => {
    if (syntax.kind === 'path') paths.add(syntax.names.join('.'))
    else if (syntax.kind === 'call') for (const argument of syntax.args) visit(argument)
  }
  visit(parseFormula(text))
  return paths
}
