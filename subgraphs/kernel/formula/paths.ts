import { parseFormula } from './parse.ts'
import type { Syntax } from './syntax.ts'

/** The relations with which a path can begin, each before at least one further name: `account`, or `customFields.site`, the name of a custom field. */
export const relationsAt = (names: readonly string[]): readonly string[] =>
  [1, 2].flatMap((count) => (count < names.length ? [names.slice(0, count).join('.')] : []))

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
